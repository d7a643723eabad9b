/** Puts canaries into all secrets, then searches the logs, responses, requests and stored bytes for them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Attacked } from './attack-target.ts';
import { aviary, type Canary, findCanaries } from './canary.ts';
import { liveThrough } from './canary-scenario.ts';
import { bearer, OPERATIONS, requestOf, unknownIds } from './operations.ts';
import type { Outcome, Part } from './part.ts';

const OPEN_TO_OTHERS = 0o077;
/** Places where a secret is expected: the master secret in its file, the reader's link in the mail. */
const MAY_LIE: Record<string, readonly string[]> = {
  'master.json': ['the master secret'],
  'mail/': ['the link of a mail'],
};

type Search = { what: string; places: [name: string, bytes: Uint8Array | string][]; canaries: readonly Canary[] };

function searchOutcome({ what, places, canaries }: Search): Outcome {
  const outcome: Outcome = {
    what: `${what}, ${places.length} searched`,
    tried: places.length * canaries.length,
    broken: [],
  };
  for (const [place, bytes] of places) {
    const [, welcome = []] = Object.entries(MAY_LIE).find(([start]) => place.startsWith(start)) ?? [];
    const found = findCanaries(bytes, canaries).filter((name) => !welcome.includes(name));
    outcome.broken.push(...found.map((name) => `${name} lies in ${place}`));
  }
  return outcome;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** All current rows; the raw database file, which also holds old versions of rows, is searched separately. */
function rowsOf(file: string): [string, string][] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('SELECT * FROM rows').all();
  db.close();
  return rows.map((row) => [`row ${row.pk} ${row.sk}`, JSON.stringify(row)]);
}

async function answersToOthers(on: Attacked): Promise<[string, string][]> {
  const other = await on.tenants.found();
  const reads = OPERATIONS.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  return Promise.all(
    reads.map(async (operation) => {
      const headers = bearer(operation.face === 'files' ? other.apiKey : other.tokens.admin);
      const sent = requestOf(operation, unknownIds(operation.face));
      return [operation.name, (await on.send(operation.face, { ...sent, headers })).text] as [string, string];
    }),
  );
}

async function run(on: Attacked): Promise<Outcome[]> {
  const birds = aviary();
  const answers = await liveThrough(on, birds, await on.tenants.found());
  await on.killed();
  const { canaries } = birds;
  const secrets = canaries.filter(({ kind }) => kind === 'secret');
  const files = filesUnder(on.state);
  const rows = rowsOf(join(on.state, 'state.db'));
  const stored = files.map((file): [string, Uint8Array] => [relative(on.state, file), readFileSync(file)]);
  const sent = on.world.arrived.map(({ host, url, headers, body }): [string, string] => {
    const given = /\/keys|\/a\.txt|\/b\.txt/.test(url) ? '' : url; // the file's own request contains its whole URL
    return [`${host} ${new URL(`https://${host}${url}`).pathname}`, JSON.stringify([given, headers, body])];
  });
  const given = answers.map(({ reply: { status, headers, text }, gives }, at): [string, string] => {
    const hidden = secrets.filter(({ name }) => !gives.includes(name));
    return [`answer ${at} ${status}`, findCanaries(JSON.stringify(headers) + text, hidden).join(', ')];
  });
  return [
    searchOutcome({ what: 'the log, standard output and error', places: [['the log', on.said.join('')]], canaries }),
    searchOutcome({ what: 'rows of the table', places: rows, canaries: secrets }),
    searchOutcome({ what: 'files of the state: SQLite, blobs, archives, mails', places: stored, canaries: secrets }),
    searchOutcome({ what: 'requests to receivers and sources', places: sent, canaries: secrets }),
    {
      what: `answers, ${answers.length} searched`,
      tried: answers.length * secrets.length,
      broken: given.filter(([, found]) => found !== '').map(([place, found]) => `${found} lies in ${place}`),
    },
    searchOutcome({ what: "another organization's answers", places: await answersToOthers(on), canaries }),
    modes(on, files),
    wasThere(canaries, rows, stored),
    {
      what: 'faults of our own among them, which are logged whole',
      tried: 1,
      broken: answers.some(({ reply: { status } }) => status === 500) ? [] : ['nothing went wrong inside'],
    },
  ];
}

function modes(on: Attacked, files: string[]): Outcome {
  const open = files.filter((file) => /\.(json|eml|db)/.test(file) && (statSync(file).mode & OPEN_TO_OTHERS) !== 0);
  const isOpen = (statSync(on.state).mode & OPEN_TO_OTHERS) !== 0;
  return { what: 'files of the state that others could read', tried: files.length, broken: isOpen ? open : [] };
}

/** The customer's own texts must be found, or else the search does not work. */
function wasThere(canaries: readonly Canary[], rows: [string, string][], stored: [string, Uint8Array][]): Outcome {
  const own = canaries.filter(({ kind }) => kind === 'own');
  const found = new Set([...rows, ...stored].flatMap(([, bytes]) => findCanaries(bytes, own)));
  const missing = own
    .filter(({ name }) => !found.has(name))
    .map(({ name }) => `${name} is nowhere: was it searched for?`);
  return { what: "the customer's own words, which must be found", tried: own.length, broken: missing };
}

export const canaries: Part = {
  name: 'canaries',
  promise: 'No secret appears in logs, unrelated responses, mails, archives or plain rows',
  run: ({ on }) => run(on),
};
