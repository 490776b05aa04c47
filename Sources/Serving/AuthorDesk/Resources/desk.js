// The desk's page. It holds the text, shows what the desk says of it, and knows nothing of scripts or locators itself.
const find = id => document.getElementById(id);
const text = find('text'), gutter = find('gutter'), frame = find('frame'), sheet = find('sheet');
const lineHeight = 20, margin = 4;  // as in desk.css

let opened = { version: '', text: '', pages: [] };  // the file as it was last loaded or saved
let lineEnd = '\n';
let page = 0;
let check = { page: null, marks: [], findings: [], explained: [], is_script: true };
let steps = [];  // of the last replay, with the lines where they stand now
let replayed = null;  // the text of the last replay
let lines = [''];  // the text, as the last check saw it
let chosen = null;
let ended = false;

// The desk's answers

class Refused extends Error {
  constructor(answer) { super(answer.error_message ?? 'The desk does not answer.'); this.code = answer.error_code; }
}

// A call without an answer. Browsers throw a TypeError for it, as for a fault of this script: here the two are told apart.
class Lost extends Error {
  constructor() { super('The desk does not answer.'); }
}
const reached = answer => answer.catch(error => { throw error.name === 'AbortError' ? error : new Lost(); });

const ask = async (path, body, signal) => {
  const request = body === undefined ? { signal }
    : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal };
  const response = await reached(fetch(path, request));
  const words = await reached(response.text());
  let answer = {};
  try { answer = JSON.parse(words); } catch { /* a proxy's page, which is refused below or shows itself as a fault */ }
  if (!response.ok) throw new Refused(answer);
  return answer;
};

const made = (name, className, words) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (words !== undefined) element.textContent = words;
  return element;
};

// The text

const current = () => text.value.replaceAll('\n', lineEnd);
const isEdited = () => current() !== opened.text;
const caretLine = () => text.value.slice(0, text.selectionStart).split('\n').length;
const rangeOf = line => {
  const before = text.value.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, part) => sum + part.length + 1, 0);
  const end = text.value.indexOf('\n', start);
  return [start, end < 0 ? text.value.length : end];
};

// As typing does it, so that it can be undone.
const type = (words, start, end) => {
  text.focus();
  text.setSelectionRange(start, end);
  if (!document.execCommand('insertText', false, words)) {
    text.setRangeText(words, start, end, 'end');
    text.dispatchEvent(new Event('input'));
  }
};

const go = line => {
  const [start, end] = rangeOf(line);
  text.focus();
  text.setSelectionRange(start, end);
  const top = (line - 1) * lineHeight;
  if (top < text.scrollTop || top > text.scrollTop + text.clientHeight - lineHeight) {
    text.scrollTop = top - text.clientHeight / 3;
  }
  moved();
};

// Moves the lines of the replay and of the marks with the text that was typed above them.
const follow = () => {
  const now = text.value.split('\n');
  let head = 0;
  while (head < now.length && head < lines.length && now[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < now.length - head && tail < lines.length - head && now[now.length - 1 - tail] === lines[lines.length - 1 - tail]) tail += 1;
  const change = now.length - lines.length;
  const first = lines.length - tail;
  if (change) {
    for (const one of [...steps, ...check.marks, ...check.findings]) if (one.line > first) one.line += change;
  }
  lines = now;
};

// The gutter: for each line the outcome of its step, what its locators find, and its number.

const kindOf = mark => {
  if (mark.waits_for) return ['?', 'elsewhere'];
  if (mark.invalid) return ['!', 'nothing'];
  if (mark.found === 0) return ['0', !mark.may_find_nothing && isOfThisPage(mark.line) ? 'nothing' : 'elsewhere'];
  return [mark.found > 99 ? '99+' : String(mark.found), mark.found === 1 ? 'one' : 'several'];
};
const worst = ['elsewhere', 'one', 'several', 'nothing'];
const stepsOf = line => steps.filter(step => step.line === line);
const isOfThisPage = line => stepsOf(line).some(step => step.page === page);
const signs = { done: '✓', failed: '✗', unfinished: '…' };

const drawGutter = () => {
  const count = text.value.split('\n').length;
  const first = Math.max(0, Math.floor(text.scrollTop / lineHeight) - 2);
  const last = Math.min(count, first + Math.ceil(text.clientHeight / lineHeight) + 5);
  const here = caretLine();
  const rows = [];
  for (let line = first + 1; line <= last; line += 1) {
    const row = made('div', line === here ? 'here' : '');
    row.style.top = margin + (line - 1) * lineHeight - text.scrollTop + 'px';
    const found = check.findings.filter(finding => finding.line === line);
    if (found.some(finding => finding.severity === 'error')) row.classList.add('faulty');
    else if (found.length) row.classList.add('warned');
    const outcome = stepsOf(line).reduce((worse, step) => step.outcome === 'done' ? worse ?? 'done' : step.outcome, undefined);
    row.append(made('span', 'outcome ' + (outcome ?? ''), outcome ? signs[outcome] : ''));
    const marks = check.marks.filter(mark => mark.line === line);
    const kinds = marks.map(kindOf);
    const kind = kinds.map(([, kind]) => kind).sort((a, b) => worst.indexOf(b) - worst.indexOf(a))[0] ?? '';
    const count = made('span', 'count ' + kind, kinds.slice(0, 3).map(([words]) => words).join('·'));
    count.title = marks.map(mark => mark.words + ': ' + said(mark)).join('\n');
    row.append(count);
    row.append(made('span', 'number', String(line)));
    rows.push(row);
  }
  gutter.replaceChildren(...rows);
  gutter.classList.toggle('stale', !check.is_script);
};

// The line of the caret, the findings, and the replay

const said = mark => {
  if (mark.waits_for) return 'waits for ' + mark.waits_for.join(', ') + ', which only a run has';
  if (mark.invalid) return mark.invalid;
  const way = mark.way ? ' (by its way ' + mark.way + ')' : '';
  return (mark.found === 0 ? 'nothing on this page' : mark.found === 1 ? 'one element' : mark.found + ' elements') + way;
};

const drawLine = () => {
  const line = caretLine();
  find('here').textContent = 'Line ' + line;
  const marks = check.marks.filter(mark => mark.line === line);
  const parts = marks.map(mark => {
    const [short, kind] = kindOf(mark);
    const part = made('p');
    part.append(made('span', 'chip ' + kind, short), ' ' + mark.words + ': ' + said(mark));
    return part;
  });
  if (parts.length && !check.is_script) parts.unshift(made('p', 'quiet', 'Before the error:'));
  if (!parts.length) parts.push(made('p', 'quiet', 'No locator stands here.'));
  if (marks.length && check.explainedLine === line && check.explained.length) {
    parts.push(made('pre', '', check.explained.join('\n')));
  }
  find('line').replaceChildren(...parts);
};

const button = (words, act) => {
  const made = document.createElement('button');
  made.type = 'button';
  if (words) made.textContent = words;
  made.addEventListener('click', act);
  return made;
};

const drawFindings = () => {
  const rows = check.findings.map(finding => {
    const row = made('li', finding.severity);
    const link = button('', () => finding.line && go(finding.line));
    link.append(made('b', '', finding.severity + ' '), (finding.line ? 'line ' + finding.line + ': ' : '') + finding.message);
    if (finding.hint) link.append(made('span', '', ' – ' + finding.hint));
    row.append(link);
    return row;
  });
  if (check.parameters_problem) rows.push(made('li', 'quiet', check.parameters_problem));
  if (!rows.length) rows.push(made('li', 'quiet', 'Lint finds nothing.'));
  find('findings').replaceChildren(...rows);
  const errors = check.findings.filter(finding => finding.severity === 'error').length;
  const warnings = check.findings.length - errors;
  const badge = find('lint');
  badge.className = 'badge ' + (errors ? 'bad' : warnings ? 'some' : 'good');
  badge.textContent = errors ? errors + (errors === 1 ? ' error' : ' errors')
    : warnings ? warnings + (warnings === 1 ? ' warning' : ' warnings') : 'lint: nothing found';
  find('digest').textContent = check.digest ? check.digest.slice(0, 12) : '';
};

const drawSteps = () => {
  find('steps').replaceChildren(...steps.map(step => {
    const row = made('li', step.depth ? 'inner' : '');
    const link = button('', () => { if (step.line) go(step.line); else if (step.page !== undefined) show(step.page); });
    link.append(made('b', step.outcome, signs[step.outcome] + ' '), made('span', 'number', step.number + ' '), step.words);
    row.append(link);
    return row;
  }));
};

// What the last replay showed is not said of a text that has changed since.
const drawAge = () => {
  const isOld = replayed !== null && current() !== replayed;
  find('age').hidden = !isOld;
  for (const part of [gutter, find('result'), find('steps')]) part.classList.toggle('older', isOld);
};

const drawSaved = () => {
  const badge = find('saved');
  const isNew = isEdited();
  badge.className = 'badge ' + (isNew ? 'some' : 'good');
  badge.textContent = isNew ? 'not saved' : 'saved';
  document.title = (isNew ? '• ' : '') + opened.name;
};

const draw = () => { drawGutter(); drawLine(); drawSaved(); drawAge(); outline(); };

// The recorded page. The frame runs nothing; this script reads its elements and outlines them.

// Names of a page's elements hide the members of its document and of its forms: with `<input name=getAttribute>` in it, a form's
// `getAttribute` is that input. So every member is taken from the prototype, which a page cannot change.
const method = (type, name) => Function.prototype.call.bind(type.prototype[name]);
const property = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const [rootOf, headOf, bodyOf] = ['documentElement', 'head', 'body'].map(name => property(Document, name));
const [elementAt, create] = ['elementFromPoint', 'createElement'].map(name => method(Document, name));
const select = method(Document, 'querySelectorAll');
const [attribute, setAttribute, removeAttribute] = ['getAttribute', 'setAttribute', 'removeAttribute']
  .map(name => method(Element, name));
const [closest, boxOf, append] = ['closest', 'getBoundingClientRect', 'append'].map(name => method(Element, name));
const [widthOf, heightOf] = ['scrollWidth', 'scrollHeight'].map(name => property(Element, name));

const numberName = 'data-countersign-number';
const numberOf = element => Number(attribute(element, numberName));
let numbered = new Map();

const readFrame = () => {
  const inner = frame.contentDocument;
  numbered = new Map();
  if (!inner || !bodyOf(inner)) return;
  for (const element of select(inner, '[' + numberName + ']')) numbered.set(numberOf(element), element);
  const style = create(inner, 'style');
  // The light edge is seen where the page is dark.
  style.textContent = '[data-desk-other],[data-desk-chosen]{outline:2px dashed #0b6a8f!important;outline-offset:1px!important;'
    + 'box-shadow:0 0 0 4px #fff!important}'
    + '[data-desk-chosen]{outline:3px solid #0b6a8f!important;box-shadow:0 0 0 5px #fff!important}';
  append(headOf(inner) ?? rootOf(inner), style);
  fit();
  outline();
};

// The frame is as large as its page, so that the sheet scrolls and a click meets what it seems to meet.
const fit = () => {
  const inner = frame.contentDocument;
  if (!inner || !bodyOf(inner)) return;
  frame.style.height = frame.style.width = '';
  const root = rootOf(inner);
  frame.style.width = Math.max(widthOf(root), sheet.clientWidth) + 'px';
  frame.style.height = Math.max(heightOf(root), heightOf(bodyOf(inner)), sheet.clientHeight) + 'px';
  find('pane').style.width = frame.style.width;
};

const bring = element => {
  const box = boxOf(element);
  if (box.top < sheet.scrollTop || box.bottom > sheet.scrollTop + sheet.clientHeight) {
    sheet.scrollTop = Math.max(0, box.top - sheet.clientHeight / 3);
  }
};

const outline = () => {
  const inner = frame.contentDocument;
  const names = ['data-countersign-match', 'data-desk-other', 'data-desk-chosen'];
  for (const name of names) {
    for (const element of inner ? select(inner, '[' + name + ']') : []) removeAttribute(element, name);
  }
  const line = caretLine();
  let first = null;
  for (const mark of check.page === page ? check.marks : []) {
    for (const number of mark.elements ?? []) {
      const element = numbered.get(number);
      if (!element) continue;
      if (mark.line !== line) { setAttribute(element, 'data-desk-other', ''); continue; }
      setAttribute(element, 'data-countersign-match', '');
      first ??= element;
    }
  }
  const element = chosen?.page === page ? numbered.get(chosen.element) : null;
  if (element) setAttribute(element, 'data-desk-chosen', '');
  const shown = element ?? first;
  if (shown) bring(shown);
};

// The number of the innermost numbered element that a click on the glass means.
const numberBelow = event => {
  const inner = frame.contentDocument;
  const box = frame.getBoundingClientRect();
  const met = inner && elementAt(inner, event.clientX - box.left, event.clientY - box.top);
  const element = met && closest(met, '[' + numberName + ']');
  return element ? numberOf(element) : null;
};

const show = async number => {
  if (!opened.pages.length) return;
  page = number;
  find('pages').value = String(page);
  frame.src = 'page/' + page;
  chosen = null;
  find('candidates').replaceChildren();
  find('around').hidden = true;
  find('chosen').textContent = 'Click an element of the page, or choose one here';
  const asked = page;
  const answer = await ask('elements/' + asked);
  if (asked !== page) return;
  find('elements').replaceChildren(...answer.elements.map(item => new Option(item.words, item.element)));
  await look();
};

const choose = async number => {
  const asked = { page, element: number };
  chosen = asked;
  outline();
  const answer = await ask('candidates', asked);
  if (chosen !== asked) return;
  find('chosen').textContent = answer.words;
  const around = find('around');
  around.hidden = answer.around === undefined;
  around.onclick = () => choose(answer.around).then(() => (around.hidden ? text : around).focus());
  const list = find('elements');
  list.value = String(number);
  find('candidates').replaceChildren(...answer.candidates.map(candidate => {
    const row = made('li');
    const code = made('code', '', candidate.step);
    code.title = candidate.words;
    const below = button('Insert below', () => insert(candidate.step, false));
    const instead = button('Replace line', () => insert(candidate.step, true));
    below.setAttribute('aria-label', 'Insert below: ' + candidate.step);
    instead.setAttribute('aria-label', 'Replace the line by: ' + candidate.step);
    row.append(code, below, instead);
    return row;
  }));
};

// Writes a step below the line of the caret, or in its place, as far to the right as that line.
const insert = (step, replaces) => {
  const line = caretLine();
  const [start, end] = rangeOf(line);
  const words = text.value.slice(start, end);
  let model = words;
  if (!words.trim()) model = text.value.slice(0, start).split('\n').reverse().find(line => line.trim()) ?? '';
  const margin = model.match(/^ */)[0] + (model.trim().endsWith(':') && !model.trim().startsWith('-') ? '  ' : '');
  const block = step.split('\n').map(part => margin + part).join('\n');
  if (replaces || !words.trim()) type(block, start, end); else type('\n' + block, end, end);
};

// What the desk says of the text

let looking = null;

const look = async () => {
  looking?.abort();
  const own = looking = new AbortController();
  const line = caretLine();
  try {
    const body = { text: current(), line, page: opened.pages.length ? page : null };
    const answer = await ask('check', body, own.signal);
    if (own !== looking) return;
    // A text that is not a script for a moment keeps the marks that it had on this page.
    const kept = check.page === body.page ? check.marks : [];
    check = answer.is_script ? { ...answer, page: body.page, explainedLine: line }
      : { ...answer, page: body.page, marks: kept, explained: [] };
    drawFindings();
    draw();
  } catch (error) {
    if (error.name !== 'AbortError') report(error);
  }
};

let pause = 0;
const lookSoon = () => { clearTimeout(pause); pause = setTimeout(look, 200); };

let lastLine = 0;
const moved = () => {
  const line = caretLine();
  drawGutter();
  if (line === lastLine) return;
  lastLine = line;
  drawLine();
  outline();
  const step = stepsOf(line).find(step => step.page !== undefined);
  if (find('follow').checked && step && step.page !== page) show(step.page).catch(report); else lookSoon();
};

const replay = async () => {
  const act = find('replay');
  act.disabled = true;
  find('result').replaceChildren(made('p', 'quiet', 'Replaying …'));
  try {
    const words = current();
    const answer = await ask('replay', { text: words });
    replayed = words;
    steps = answer.steps;
    lines = text.value.split('\n');
    const parts = [made('p', answer.matches ? 'done' : 'failed', answer.matches
      ? 'The script matches the recording; it used ' + answer.exchanges_used + ' exchanges.'
      : 'The script does not match the recording.')];
    if (answer.not_compared.length) {
      parts.push(made('p', 'quiet', 'Not compared, because the recording hides them: ' + answer.not_compared.join(', ')));
    }
    if (answer.report) parts.push(made('pre', '', answer.report));
    find('result').replaceChildren(...parts);
    find('trace').hidden = false;
    drawSteps();
    drawAge();
    lastLine = 0;
    moved();
  } catch (error) {
    const isAnswer = error instanceof Refused;
    find('result').replaceChildren(made('p', 'refused', isAnswer ? error.message : 'The script was not replayed.'));
    if (!isAnswer) report(error);
  }
  act.disabled = false;
};

// The file

const tell = (words, canSave, canLoad = canSave) => {
  find('words').textContent = words;
  find('notice').hidden = false;
  find('over').hidden = !canSave;
  find('load').hidden = !canLoad;
};
const untell = () => { find('notice').hidden = true; };

const report = error => {
  if (error instanceof Refused) return tell(error.message, error.code === 'changed_on_disk');
  if (error instanceof Lost) {
    ended = true;
    return tell('The desk has ended. Your text is still here; copy it, or start the desk again and reload this page.', false);
  }
  console.error(error);
  tell('This page has a fault, and may show what is old. Your text is still here; copy it, and reload this page.', false);
};

const take = (answer, canBeUndone) => {
  opened = answer;
  lineEnd = answer.text.includes('\r\n') ? '\r\n' : '\n';
  const plain = answer.text.replaceAll('\r\n', '\n');
  if (canBeUndone) type(plain, 0, text.value.length); else text.value = plain;
  lines = text.value.split('\n');
  untell();
};

const save = async version => {
  const words = current();
  try {
    const answer = await ask('save', { text: words, version });
    opened = { ...opened, text: words, version: answer.version };
    untell();
  } catch (error) { report(error); }
  drawSaved();
};

const watch = async () => {
  if (ended) return;
  try {
    const asked = opened.version;
    const { version } = await ask('version');
    if (opened.version === asked && version !== asked) {
      if (version === 'missing') tell('The file is gone from the disk. Your text is here; save it to write the file again.', true, false);
      else if (isEdited()) tell('Another program has changed the file. Load it, or save your text over it.', true);
      else { take(await ask('opening'), false); await look(); }
    }
  } catch (error) { report(error); }
  setTimeout(watch, 2000);
};

find('save').addEventListener('click', () => save(opened.version));
find('over').addEventListener('click', async () => {
  try { await save((await ask('version')).version); } catch (error) { report(error); }
});
find('load').addEventListener('click', async () => {
  try { take(await ask('opening'), true); await look(); } catch (error) { report(error); }
});
find('replay').addEventListener('click', replay);
find('pages').addEventListener('change', event => show(Number(event.target.value)).catch(report));
find('elements').addEventListener('change', event => choose(Number(event.target.value)).catch(report));
find('glass').addEventListener('click', event => {
  const number = numberBelow(event);
  if (number !== null) choose(number).catch(report);
});
frame.addEventListener('load', readFrame);
addEventListener('resize', () => { fit(); drawGutter(); });

text.addEventListener('input', () => { follow(); chosen = null; draw(); lookSoon(); });
text.addEventListener('scroll', drawGutter);
document.addEventListener('selectionchange', () => { if (document.activeElement === text) moved(); });
text.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return;
  // A new line begins below the one before it.
  const [start] = rangeOf(caretLine());
  const margin = text.value.slice(start, text.selectionStart).match(/^ */)[0];
  event.preventDefault();
  type('\n' + margin, text.selectionStart, text.selectionEnd);
});
addEventListener('keydown', event => {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === 's') { event.preventDefault(); save(opened.version); }
  if (isCommand && event.key === 'Enter') { event.preventDefault(); replay(); }
  if (event.key === 'F6') {
    const parts = [text, find('elements'), find('candidates').querySelector('button'), find('pages')].filter(Boolean);
    const at = parts.findIndex(part => part === document.activeElement || part.closest('ul')?.contains(document.activeElement));
    parts[(at + (event.shiftKey ? parts.length - 1 : 1)) % parts.length].focus();
    event.preventDefault();
  }
});
addEventListener('beforeunload', event => { if (isEdited()) event.preventDefault(); });

try {
  take(await ask('opening'), false);
  find('name').textContent = opened.name;
  find('pages').replaceChildren(...opened.pages.map((page, number) =>
    new Option(number + 1 + '  ' + (page.title || page.address) + '  (' + page.status + ')', number)));
  find('pages').disabled = !opened.pages.length;
  text.setSelectionRange(0, 0);
  text.focus();
  await show(0);
  await look();
  await replay();
  setTimeout(watch, 2000);
} catch (error) { report(error); }
