"""Reads a paperless-ngx with pypaperless, and uploads a document twice. Prints what it sees."""
import asyncio
import hashlib
import sys

from pypaperless import Paperless


async def main(url, token):
    async with Paperless(url, token) as paperless:
        document = await paperless.documents(1)
        correspondent = await paperless.correspondents(document.correspondent)
        kind = await paperless.document_types(document.document_type)
        tags = [(await paperless.tags(tag)).name for tag in document.tags]
        print("read", document.id, document.title, "|", correspondent.name, "|", kind.name, "|", ",".join(tags), "|",
              document.created.strftime("%Y-%m-%d"))
        download = await document.get_download()
        print("sha256", hashlib.sha256(download.content).hexdigest())
        print("made tag", await paperless.tags.draft(name="by the library", color="#ffffff", matching_algorithm=0, match="", is_insensitive=True, is_inbox_tag=False).save())
        for word in ("uploaded as 2", "again"):
            draft = paperless.documents.draft(
                document=b"%PDF-1.4 by pypaperless", filename="library.pdf", title="From the library",
                correspondent=document.correspondent, tags=document.tags)
            task = await paperless.tasks(await draft.save())
            print(word, task.status.value if hasattr(task.status, "value") else task.status, task.result)


asyncio.run(main(*sys.argv[1:]))
