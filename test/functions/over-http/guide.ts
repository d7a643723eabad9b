/** Parses calls and their answers from the text of the documentation. */

/** The pages below docs/ whose calls and programs are run, in this order: later pages use the variables of earlier ones. */
export const GUIDE_PAGES = [
  'tutorial.md',
  'reference/files-and-tasks-api.md',
  'guides/files.md',
  'guides/chat-tasks.md',
  'guides/workflows-and-rulesets.md',
  'guides/webhooks.md',
  'reference/agents-api.md',
  'guides/agent-tasks.md',
  'guides/notifications.md',
  'guides/sources.md',
  'guides/websocket.md',
  'guides/records.md',
];

export type GuideCall = {
  text: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  status: number;
  answer: string;
  mark: Mark | undefined;
};

/** A `swift` call races with the work of the call before it; a `later` one waits for that work; an `open` one does not. */
type Mark = 'swift' | 'later' | 'open';

const CALL = /```sh call(?: (swift|later|open))?\n([\s\S]*?)```\n```(?:json|text) (\d{3})\n([\s\S]*?)```/g;

/** Splits a shell line into words: bare, or in single or double quotes. */
const WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g;

type GuideBlock = { text: string; status: number; answer: string; mark: Mark | undefined };

export const callsIn = (guide: string): GuideBlock[] =>
  [...guide.matchAll(CALL)].map(([, mark, text = '', status, answer = '']) => ({
    mark: mark as Mark | undefined,
    text,
    status: Number(status),
    answer: answer.trim(),
  }));

type ParsedOptions = Pick<GuideCall, 'method' | 'url' | 'headers' | 'body'>;

/** The options of curl that the guide uses, each with one argument. */
const OPTIONS: Record<string, (read: ParsedOptions, value: string) => void> = {
  '-X': (read, value) => {
    read.method = value;
  },
  '-d': takeBody,
  '--data-binary': takeBody,
  '-H': ({ headers }, value) => {
    const [name = '', ...valueParts] = value.split(': ');
    headers[name] = valueParts.join(': ');
  },
};

function takeBody(read: ParsedOptions, value: string): void {
  read.body = value;
}

export function parseCall(call: GuideBlock, variables: Map<string, string>): GuideCall {
  const lines = call.text.replaceAll('\\\n', ' ');
  const [curl, ...words] = (lines.match(WORD) ?? []).map((word) => unquoted(word, variables));
  if (curl !== 'curl') throw new Error(`This call is not made with curl: ${call.text}`);
  const read: ParsedOptions = { method: '', url: '', headers: {}, body: undefined };
  while (words.length > 0) {
    const word = words.shift() ?? '';
    const take = OPTIONS[word];
    if (take) take(read, words.shift() ?? '');
    else if (word.startsWith('-')) throw new Error(`The guide's reader does not know ${word}.`);
    else read.url = word;
  }
  const method = read.method || (read.body === undefined ? 'GET' : 'POST');
  return { ...call, ...read, method };
}

const unquoted = (word: string, variables: Map<string, string>): string =>
  word.replaceAll(
    /'([^']*)'|"([^"]*)"|([^'"]+)/g,
    (_, single, double, bare) => single ?? fillVariables(double ?? bare, variables),
  );

const fillVariables = (text: string, variables: Map<string, string>): string =>
  text.replaceAll(/\$([A-Z_]+)/g, (_, name) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`No earlier answer of the guide gave $${name}.`);
    return value;
  });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
/** Values that depend on the speed of the machine. */
const TIMES_TAKEN = /_minutes$|^duration_?ms$|^previous_status$|^results_available$|^t$|^resets_in_seconds$/i;
/** Values that depend on the caller, on earlier calls, and on how well ids are compressed. */
const AMOUNTS = /^(most|left|count|tasks|files|bytes|sizeBytes)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Replaces values that differ from run to run; everything else must equal the guide. */
export function withoutChanging(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanging);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, settledField(name, inner)]));
  }
  if (typeof value !== 'string') return value;
  if (TIME.test(value)) return '<time>';
  if (DAY.test(value)) return '<day>';
  if (TOKEN.test(value)) return '<token>';
  if (/^https?:\/\//.test(value)) return '<address>';
  return value.replaceAll(UUID, '<id>').replaceAll(/\d{13}/g, '<milliseconds>');
}

function settledField(name: string, value: unknown): unknown {
  if (TIMES_TAKEN.test(name)) return '<time taken>';
  return typeof value === 'number' && AMOUNTS.test(name) ? '<amount>' : withoutChanging(value);
}

export const MORE = '...';

/** The parts of an answer that the guide shows: a list that ends with three dots is shown in part. */
export function likeDocumented(answer: unknown, documented: unknown): unknown {
  if (Array.isArray(answer) && Array.isArray(documented)) {
    const goesOn = documented.at(-1) === MORE && answer.length >= documented.length;
    const comparable = goesOn ? [...answer.slice(0, documented.length - 1), MORE] : answer;
    return comparable.map((entry, at) => likeDocumented(entry, documented[at]));
  }
  if (!isObject(answer) || !isObject(documented)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, inner]) => [name, likeDocumented(inner, documented[name])]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
