/** The script of every page of the documentation: it shows what the search finds below its field. */
import { docsSearch } from '../../scripts/docs-site/search.ts';

const root = document.body.dataset.root;
const input = document.querySelector('#search');
const found = document.querySelector('#found');
const hits = found.querySelector('ol');
const notice = found.querySelector('p');
const start = found.querySelector('.start');
let loading;

/** The sections are fetched once, when the field gets the focus for the first time. */
function loadSearch() {
  loading ??= fetch(`${root}search.json`)
    .then((answer) => answer.json())
    .then(docsSearch);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

const nodesOf = (parts) =>
  parts.map(({ text, isMatch }) => {
    if (!isMatch) return text;
    const mark = document.createElement('mark');
    mark.append(text);
    return mark;
  });

function elementOf(tag, ...content) {
  const element = document.createElement(tag);
  element.append(...content);
  return element;
}

function itemOf({ page, url, heading, passage }) {
  const link = document.createElement('a');
  link.href = root + url;
  const title = elementOf('strong', ...nodesOf(heading));
  const isTop = heading.map(({ text }) => text).join('') === page;
  link.append(elementOf('span', ...(isTop ? [title] : [`${page} › `, title])), elementOf('small', ...nodesOf(passage)));
  return elementOf('li', link);
}

function noticeOf(unknownWords, count) {
  if (unknownWords.length === 0) return count === 0 ? 'Nothing was found.' : '';
  const words = unknownWords.map((word) => `“${word}”`).join(', ');
  return `No page has ${words}.${count === 0 ? '' : ' These have other words of the query, or similar ones:'}`;
}

async function show() {
  const query = input.value.trim();
  if (query === '') {
    found.hidden = true;
    return;
  }
  let answer;
  try {
    answer = (await loadSearch())(query);
  } catch {
    answer = undefined;
  }
  // The text may have changed while the sections were loaded.
  if (input.value.trim() !== query) return;
  hits.replaceChildren(...(answer?.hits ?? []).map(itemOf));
  notice.textContent = answer ? noticeOf(answer.unknownWords, answer.hits.length) : 'The search could not be loaded.';
  start.hidden = hits.childElementCount > 0;
  found.hidden = false;
}

/** Moves the focus from the field through the hits and back. */
function moveFocus(step) {
  const stops = [input, ...found.querySelectorAll('a')].filter((stop) => stop.offsetParent !== null);
  const next = stops.indexOf(document.activeElement) + step;
  stops[Math.min(Math.max(next, 0), stops.length - 1)].focus();
}

input.addEventListener('focus', loadSearch);
input.addEventListener('input', show);
document.querySelector('search').addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && !found.hidden) {
    event.preventDefault();
    moveFocus(step);
  }
  if (event.key === 'Enter' && event.target === input) hits.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') found.hidden = true;
});
document.addEventListener('click', ({ target }) => {
  // A link to a heading of the same page leaves it open otherwise.
  if (!target.closest('search') || target.closest('#found a')) found.hidden = true;
});
if (matchMedia('(max-width: 44rem)').matches) document.querySelector('nav details').open = false;
