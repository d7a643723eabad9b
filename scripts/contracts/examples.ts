/** Examples of requests and answers: the calls of the guides, which a test runs against the product. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matcher } from '../../functions/http/matcher.ts';
import type { Route } from '../../functions/http/route.ts';
import { callsIn, GUIDE_PAGES, MORE, parseCall } from '../../test/functions/over-http/guide.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** `operation` is `<method> <path>` of its route. */
export type GuideExample = { operation: string; request: unknown; status: number; answer: unknown };

const ID = '01a1fc1f-d9ba-7057-a29e-7a55001b8ef0';
/** The answers of earlier calls of the guide. */
const VARIABLES = new Map([
  ['BASE', 'http://127.0.0.1:4000/api/v1'],
  ['KEY', 'errand_...'],
  ['ROOT', 'http://127.0.0.1:4001'],
  ['USERNAME', 'admin@demo-one'],
  ['PASSWORD', 'a password of yours'],
  ['TOKEN', 'eyJhbGciOiJIUzI1NiIsIm.eyJpc3MiOiJlcnJhbmQi.PmMe'],
  ['FILE_ID', ID],
  ['TASK_ID', ID],
  ['TASK', `task_${ID}`],
  ['DELIVERY_ID', `evt_${ID}_succeeded`],
  ['DELIVERY', `evt_${ID}_succeeded`],
  ['UPLOAD_URL', 'http://127.0.0.1:4000/blobs/YXJyaXZhbHM'],
  ['DOWNLOAD_URL', 'http://127.0.0.1:4000/blobs/ZmlsZXMv'],
  ['STORAGE_PATH', `${ID}/01a1fc1f-589f-704b-bd7b-5081b2af78f0/1795231308219-minutes.txt`],
]);

/** The calls of one API, by the variable that holds its base URL. */
export function examplesIn(routes: readonly Route<never>[], base: '$BASE' | '$ROOT'): GuideExample[] {
  const find = matcher(routes);
  const calls = GUIDE_PAGES.flatMap((page) => callsIn(readFileSync(join(DOCS, page), 'utf8')));
  return calls.flatMap((call) => {
    if (!call.text.includes(base)) return [];
    const { method, url, body, status, answer } = parseCall(call, VARIABLES);
    const { pathname } = new URL(url);
    const isOurs = pathname.startsWith('/api/') || pathname.startsWith('/auth/');
    if (!isOurs) return [];
    const { route } = find(method, pathname);
    const operation = `${route.method} ${route.path}`;
    return [{ operation, request: jsonIn(body), status, answer: jsonIn(answer) }];
  });
}

const jsonIn = (text: string | undefined): unknown =>
  text?.startsWith('{') ? JSON.parse(text, withoutDots) : undefined;

/** Dots say that a list goes on. */
const withoutDots = (_: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((entry) => entry !== MORE) : value;
