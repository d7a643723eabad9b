/** The search of the documentation: sections whose heading, page or text holds every word. */
const MAX_FOUND = 12;
const root = document.body.dataset.root;
const input = document.querySelector('#search');
const found = document.querySelector('#found');
let sections;

const load = () => {
  sections ??= fetch(`${root}search.json`).then((answer) => answer.json());
  return sections;
};

/** A word in the heading counts more than one in the title of the page, and that more than one in the text. */
function scoreOf([title, heading, , text], words) {
  let score = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word);
    const inTitle = title.toLowerCase().includes(word);
    const inText = text.toLowerCase().includes(word);
    if (!inHeading && !inTitle && !inText) return 0;
    score += (inHeading ? 10 : 0) + (inTitle ? 4 : 0) + (inText ? 1 : 0);
  }
  return score;
}

function entryOf([title, heading, url, text]) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const more = document.createElement('small');
  link.href = root + url;
  link.append(heading);
  more.append(`${title === heading ? '' : `${title} · `}${text.slice(0, 110)}`);
  link.append(more);
  item.append(link);
  return item;
}

async function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = await load();
  const hits = all
    .map((section) => ({ section, score: words.length > 0 ? scoreOf(section, words) : 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND);
  found.replaceChildren(...hits.map(({ section }) => entryOf(section)));
  if (words.length > 0 && hits.length === 0) found.append('Nothing was found.');
  found.hidden = words.length === 0;
}

input.addEventListener('focus', load);
input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') found.hidden = true;
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('search')) found.hidden = true;
});
if (matchMedia('(max-width: 44rem)').matches) document.querySelector('nav details').open = false;
