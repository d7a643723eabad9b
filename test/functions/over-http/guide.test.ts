/** Runs the calls of the API guides in their order; each must answer what the guide says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { keyOf, target } from './call.ts';
import { asShown, callsIn, GUIDE_PAGES, type GuideCall, parseCall, withoutChanging } from './guide.ts';
import { type Made, uncalledRoutes } from './guide-routes.ts';
import { PASSWORD, userNameOf } from './target.ts';

const DOCS = join(import.meta.dirname, '../../../docs');

/** Maps fields of answers to the variables of later calls. */
const CAPTURED = {
  fileId: 'FILE_ID',
  uploadUrl: 'UPLOAD_URL',
  storagePath: 'STORAGE_PATH',
  url: 'DOWNLOAD_URL',
  taskId: 'TASK_ID',
  access_token: 'TOKEN',
  task_id: 'TASK',
  deliveryId: 'DELIVERY_ID',
  delivery_id: 'DELIVERY',
};

const variables = new Map([
  ['BASE', target.filesAndTasks],
  ['KEY', keyOf('guide')],
  ['ROOT', target.agents],
  ['USERNAME', userNameOf('guide', 'admin')],
  ['PASSWORD', PASSWORD],
]);

const calls = GUIDE_PAGES.flatMap((page) => callsIn(readFileSync(join(DOCS, page), 'utf8')));

type Call = (typeof calls)[number];
type Got = { status: number; text: string };
const all: Made[] = [];

/** An answer with `Retry-After` is not final: work is under way, or a rate limit applies until its next window. */
async function answered({ url, method, headers, body, mark, status }: GuideCall): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const seconds = Number(reply.headers.get('retry-after'));
    // The guide shows the file while it is being read, or afterwards.
    const again = status === 202 ? [200, 429] : [200, 202, 429];
    const isFinal = seconds === 0 || !again.includes(reply.status) || (reply.ok && mark === 'open');
    if (isFinal) return reply;
    await setTimeout(reply.status === 200 ? 50 : seconds * 1_000);
  }
}

const MAX_RACES = 20;

/** Stores the fields of the answer that later calls use. */
async function makeCall(call: Call): Promise<Got> {
  const asked = parseCall(call, variables);
  all.push(asked);
  const reply = await answered(asked);
  const text = await reply.text();
  const got = text.startsWith('{') ? JSON.parse(text) : {};
  const named: Record<string, string> = { ...got, ...got.deliveries?.[0] };
  for (const [field, name] of Object.entries(CAPTURED)) if (named[field]) variables.set(name, named[field]);
  return { status: reply.status, text };
}

function compare({ status, text }: Got, call: Call): void {
  expect(status, text).toBe(call.status);
  const isJson = call.answer.startsWith('{');
  const shown = isJson ? JSON.parse(call.answer) : call.answer;
  expect(isJson ? withoutChanging(asShown(JSON.parse(text), shown)) : text).toEqual(
    isJson ? withoutChanging(shown) : shown,
  );
}

/** The work ended before the call, so both calls are repeated. */
async function madeInTime(call: Call, before: Call | undefined): Promise<Got> {
  let got = await makeCall(call);
  for (let races = 0; before && got.status !== call.status && races < MAX_RACES; races++) {
    await makeCall(before);
    got = await makeCall(call);
  }
  return got;
}

/** Enough for a few races, and for waiting until the next minute of a rate limit. */
const timeout = 180_000;
const LATER = { timeout: 20_000, interval: 100 };

it.each(calls.map((call, at) => ({ call, before: calls[at - 1] })))(
  '$call.text',
  { timeout },
  async ({ call, before }) => {
    if (call.mark === 'later') return vi.waitFor(async () => compare(await makeCall(call), call), LATER);
    compare(await (call.mark === 'swift' ? madeInTime(call, before) : makeCall(call)), call);
  },
);

it('shows a call of every public route', () => {
  expect(uncalledRoutes(all)).toEqual([]);
});
