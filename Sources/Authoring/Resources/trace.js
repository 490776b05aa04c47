// Marks the step that is shown, moves with the arrow keys, and scrolls matches into view.
const links = [...document.querySelectorAll('nav a')];
const shown = () => (/^#step-\d+$/.test(location.hash) && document.querySelector(location.hash))
  || document.querySelector('section.first');
const fit = frame => {
  const page = frame.contentDocument;
  if (!page || !page.body) return;
  const height = Math.max(page.documentElement.scrollHeight, page.body.scrollHeight);
  if (height) frame.style.height = Math.min(Math.max(height, 160), 760) + 'px';
  const match = page.querySelector('[data-countersign-match]');
  if (match) page.defaultView.scrollTo(0, match.getBoundingClientRect().top - 120);
};
const mark = () => {
  const section = shown();
  if (!section) return;
  for (const link of links) link.classList.toggle('here', link.hash === '#' + section.id);
  document.querySelector('nav a.here')?.scrollIntoView({ block: 'nearest' });
  for (const frame of section.querySelectorAll('iframe')) {
    frame.addEventListener('load', () => fit(frame));
    requestAnimationFrame(() => fit(frame));
  }
};
addEventListener('hashchange', () => { mark(); document.querySelector('main').scrollTop = 0; });
addEventListener('change', mark);
addEventListener('keydown', event => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (!step || event.target.closest('summary, input')) return;
  const next = links[links.findIndex(link => link.classList.contains('here')) + step];
  if (next) { location.hash = next.hash; next.focus({ preventScroll: true }); event.preventDefault(); }
});
mark();
