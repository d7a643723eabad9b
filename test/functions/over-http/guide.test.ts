/** Runs the calls of the API guides in their order; each must answer what the guide says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { keyOf, target } from './call.ts';
import { callsIn, GUIDE_PAGES, type GuideCall, likeDocumented, parseCall, withoutChanging } from './guide.ts';
import { type MadeCall, uncalledRoutes } from './guide-routes.ts';
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
type CallResult = { status: number; text: string };
const madeCalls: MadeCall[] = [];

/** An answer with `Retry-After` is not final: work is under way, or a rate limit applies until its next window. */
async function fetchUntilFinal({ url, method, headers, body, mark, status }: GuideCall): Promise<Response> {
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
async function makeCall(call: Call): Promise<CallResult> {
  const request = parseCall(call, variables);
  madeCalls.push(request);
  const reply = await fetchUntilFinal(request);
  const text = await reply.text();
  const fields = text.startsWith('{') ? JSON.parse(text) : {};
  const capturable: Record<string, string> = { ...fields, ...fields.deliveries?.[0] };
  for (const [field, name] of Object.entries(CAPTURED)) if (capturable[field]) variables.set(name, capturable[field]);
  return { status: reply.status, text };
}

function compare({ status, text }: CallResult, call: Call): void {
  expect(status, text).toBe(call.status);
  const isJson = call.answer.startsWith('{');
  const documented = isJson ? JSON.parse(call.answer) : call.answer;
  expect(isJson ? withoutChanging(likeDocumented(JSON.parse(text), documented)) : text).toEqual(
    isJson ? withoutChanging(documented) : documented,
  );
}

/** The work ended before the call, so both calls are repeated. */
async function repeatUntilInTime(call: Call, before: Call | undefined): Promise<CallResult> {
  let result = await makeCall(call);
  for (let races = 0; before && result.status !== call.status && races < MAX_RACES; races++) {
    await makeCall(before);
    result = await makeCall(call);
  }
  return result;
}

/** Enough for a few races, and for waiting until the next minute of a rate limit. */
const timeout = 180_000;
const LATER = { timeout: 20_000, interval: 100 };

it.each(calls.map((call, at) => ({ call, before: calls[at - 1] })))(
  '$call.text',
  { timeout },
  async ({ call, before }) => {
    if (call.mark === 'later') return vi.waitFor(async () => compare(await makeCall(call), call), LATER);
    compare(await (call.mark === 'swift' ? repeatUntilInTime(call, before) : makeCall(call)), call);
  },
);

it('shows a call of every public route', () => {
  expect(uncalledRoutes(madeCalls)).toEqual([]);
});
