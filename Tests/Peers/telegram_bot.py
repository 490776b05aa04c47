"""python-telegram-bot, against the Bot API server of the tests: if it takes the answers, they are true to Telegram's.

Usage: telegram_bot.py BASE_URL TOKEN CHAT_ID
"""

import asyncio
import sys

from telegram import Bot
from telegram.error import BadRequest, Conflict, InvalidToken, RetryAfter
from telegram.ext import Application, CommandHandler


async def raises(kind, call):
    try:
        await call
    except kind as error:
        print("raised", type(error).__name__, getattr(error, "retry_after", ""))
        return
    raise AssertionError(f"{kind.__name__} was not raised")


async def main(base_url, token, chat):
    async with Application.builder().token(token).base_url(base_url + "/bot").build() as application:
        bot = application.bot
        me = await bot.get_me()
        print("me", me.username, me.is_bot)

        message = await bot.send_message(chat, "hello “world” & Ω")
        print("sent", message.message_id, message.chat.id == int(chat), message.text)
        edited = await bot.edit_message_text("changed", chat, message.message_id)
        print("edited", edited.message_id == message.message_id, edited.text)
        await raises(BadRequest, bot.edit_message_text("changed", chat, message.message_id))
        await raises(BadRequest, bot.edit_message_text("changed", chat, 999))
        await raises(BadRequest, bot.send_message(chat, ""))
        await raises(BadRequest, bot.send_message(999, "to nobody"))

        heard = asyncio.Event()

        async def start(update, context):
            await update.message.reply_text(f"This chat is {update.effective_chat.id}")
            heard.set()

        application.add_handler(CommandHandler("start", start))
        # This message makes the server queue a /start.
        await bot.send_message(chat, "say /start")
        await application.updater.start_polling(poll_interval=0, timeout=5, bootstrap_retries=0)
        await application.start()
        await asyncio.wait_for(heard.wait(), 30)
        print("heard /start")
        await application.updater.stop()
        await application.stop()

        # These messages make it fail.
        await bot.send_message(chat, "fail 429")
        await raises(RetryAfter, bot.send_message(chat, "too many"))
        await bot.send_message(chat, "fail 409")
        await raises(Conflict, bot.get_updates(timeout=0))

    await raises(InvalidToken, Bot("1:wrong", base_url=base_url + "/bot").get_me())


asyncio.run(main(*sys.argv[1:]))
