/** Sends what the forms hold to the product on this machine, with the credentials of its demo organizations. */
const who = document.querySelector('#who');
const state = document.querySelector('#state');
const tokens = new Map();
let local;

const chosen = () => local.organizations[who.selectedIndex];

async function start() {
  local = await (await fetch('/docs/local.json')).json();
  for (const { name } of local.organizations) who.append(new Option(name));
}

/** One login for each organization, made when the first call needs it. */
function tokenOf({ username, password }) {
  const token = tokens.get(username) ?? logIn({ username, password });
  tokens.set(username, token);
  return token;
}

async function logIn(credentials) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${local.roots.agents}/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(credentials),
  });
  if (!answer.ok) throw new Error(`Logging in was answered with ${answer.status}.`);
  state.textContent = `Logged in as ${credentials.username}.`;
  return (await answer.json()).access_token;
}

/** Names of the path are filled in, what is left of the query goes behind it. */
function addressOf(form) {
  const { face, path } = form.dataset;
  let filled = path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('input[data-in]')) {
    if (input.dataset.in === 'path') filled = filled.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()));
    else if (input.value !== '') query.set(input.name, input.value);
  }
  return local.roots[face] + filled + (query.size > 0 ? `?${query}` : '');
}

async function send(form) {
  const { face, method, open } = form.dataset;
  const headers = {};
  if (open === undefined) {
    headers.authorization = `Bearer ${face === 'files' ? chosen().apiKey : await tokenOf(chosen())}`;
  }
  const body = form.elements.body?.value.trim() || undefined;
  if (body) headers['content-type'] = 'application/json';
  const begun = performance.now();
  const answer = await fetch(addressOf(form), { method, headers, body });
  const text = await answer.text();
  return { answer, text, ms: Math.round(performance.now() - begun) };
}

function show(place, { answer, text, ms }) {
  const line = document.createElement('p');
  const status = document.createElement('b');
  status.className = `status ${answer.ok ? 'good' : 'bad'}`;
  status.textContent = String(answer.status);
  line.append(status, ` in ${ms} ms, request ${answer.headers.get('x-request-id') ?? ''}`);
  const lines = document.createElement('pre');
  lines.tabIndex = 0;
  lines.textContent = pretty(text);
  place.replaceChildren(line, ...(text === '' ? [] : [lines]));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const place = form.querySelector('.answer');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    show(place, await send(form));
  } catch (error) {
    place.textContent = `Nothing was answered: ${error.message}`;
  } finally {
    button.disabled = false;
  }
});

document.querySelector('#find').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase();
  for (const item of document.querySelectorAll('nav li')) {
    const anchor = item.querySelector('a').hash.slice(1);
    const text =
      `${item.textContent} ${document.getElementById(anchor)?.querySelector('p')?.textContent}`.toLowerCase();
    item.hidden = !text.includes(words);
  }
});

start().catch((error) => {
  state.textContent = `The demo credentials are not there: ${error.message}`;
});
