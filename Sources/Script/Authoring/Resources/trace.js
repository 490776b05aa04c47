// Marks the step that is shown, moves with the arrow keys, scrolls matches into view, makes the filmstrip, and filters the
// exchanges.
const links = [...document.querySelectorAll('nav a')];
const sections = [...document.querySelectorAll('section')];
const film = document.querySelector('.film');
const shown = () => (/^#step-\d+$/.test(location.hash) && document.querySelector(location.hash))
  || document.querySelector('section.first');
// Names of a kept page's elements hide the members of its document and of its forms, so that members are taken from the
// prototypes, which a page cannot change.
const method = (type, name) => Function.prototype.call.bind(type.prototype[name]);
const property = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const [rootOf, bodyOf] = ['documentElement', 'body'].map(name => property(Document, name));
const heightOf = property(Element, 'scrollHeight');
const select = method(Document, 'querySelector');
const boxOf = method(Element, 'getBoundingClientRect');
const matchIn = page => select(page, '[data-countersign-match]');
const fit = frame => {
  const page = frame.contentDocument;
  if (!page || !bodyOf(page) || !frame.offsetParent) return;
  const height = Math.max(heightOf(rootOf(page)), heightOf(bodyOf(page)));
  if (height) frame.style.height = Math.min(Math.max(height, 160), 760) + 'px';
  const match = matchIn(page);
  if (match) frame.contentWindow.scrollTo(0, frame.contentWindow.scrollY + boxOf(match).top - 120);
};
const mark = () => {
  const section = shown();
  if (!section) return;
  for (const link of [...links, ...film.querySelectorAll('a')]) {
    const isHere = link.hash === '#' + section.id;
    link.classList.toggle('here', isHere);
    if (isHere) link.setAttribute('aria-current', 'step'); else link.removeAttribute('aria-current');
  }
  document.querySelector('nav a.here')?.scrollIntoView({ block: 'nearest' });
  const still = film.querySelector('a.here');
  if (still) film.scrollLeft = still.offsetLeft - (film.clientWidth - still.offsetWidth) / 2;
  for (const frame of section.querySelectorAll('iframe')) {
    frame.addEventListener('load', () => fit(frame));
    requestAnimationFrame(() => { fit(frame); reveal(frame); });
  }
};
// The frame itself may begin below the window's end.
const reveal = frame => {
  const page = frame.offsetParent && frame.contentDocument;
  const match = page && matchIn(page);
  if (!match) return;
  const top = frame.getBoundingClientRect().top + boxOf(match).top;
  if (top > innerHeight - 80) document.querySelector('main').scrollTop += top - innerHeight / 2;
};

// A still for each step with a page: its picture, or the page itself, small and out of reach.
for (const section of sections) {
  const figures = section.querySelectorAll('figure');
  const last = figures[figures.length - 1];
  const content = last?.querySelector('img') ?? last?.querySelector('iframe');
  if (!content) continue;
  const link = document.createElement('a');
  link.href = '#' + section.id;
  link.title = section.querySelector('h2').textContent;
  if (section.classList.contains('failed')) link.className = 'failed';
  const still = content.cloneNode();
  if (still.localName === 'iframe') {
    still.tabIndex = -1;
    still.inert = true;
  } else still.alt = '';
  const box = document.createElement('span');
  box.append(still);
  const label = document.createElement('small');
  label.textContent = links.find(link => link.hash === '#' + section.id).querySelector('.number').textContent;
  link.setAttribute('aria-label', 'Step ' + label.textContent + ': ' + link.title);
  link.append(box, label);
  film.append(link);
}
film.hidden = film.childElementCount < 2;

// A step without an exchange that fits fades.
const filter = document.querySelector('.filter');
filter.hidden = !document.querySelector('.exchange');
filter.addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of sections) {
    const exchanges = [...section.querySelectorAll('.exchange')];
    for (const exchange of exchanges) {
      const text = exchange.querySelector('summary').textContent.toLowerCase();
      exchange.hidden = !words.every(word => text.includes(word));
    }
    const fitting = exchanges.filter(exchange => !exchange.hidden).length;
    const link = links.find(link => link.hash === '#' + section.id);
    link.classList.toggle('faded', words.length > 0 && !fitting);
    const count = link.querySelector('.count');
    if (count) count.textContent = words.length ? fitting + '/' + exchanges.length : exchanges.length;
  }
});

addEventListener('hashchange', () => { mark(); document.querySelector('main').scrollTop = 0; });
addEventListener('change', mark);
addEventListener('toggle', event => {
  for (const frame of event.target.querySelectorAll('iframe')) requestAnimationFrame(() => fit(frame));
}, true);
addEventListener('keydown', event => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (!step || event.target.closest('summary, input')) return;
  const next = links[links.findIndex(link => link.classList.contains('here')) + step];
  if (next) { location.hash = next.hash; next.focus({ preventScroll: true }); event.preventDefault(); }
});
mark();
