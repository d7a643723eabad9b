/** The calls of the API guides, run in their order; each must answer what the guide says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { keyOf, target } from './call.ts';
import { callsIn, type GuideCall, parsed, settled } from './guide.ts';
import { PASSWORD, userNameOf } from './target.ts';

const GUIDES = ['api.md', 'agents.md'].map((name) => join(import.meta.dirname, '../../docs', name));

/** Which field of an answer becomes which variable of the calls after it. */
const CAPTURED = {
  fileId: 'FILE_ID',
  uploadUrl: 'UPLOAD_URL',
  storagePath: 'STORAGE_PATH',
  url: 'DOWNLOAD_URL',
  taskId: 'TASK_ID',
  access_token: 'TOKEN',
  task_id: 'TASK',
};

const variables = new Map([
  ['BASE', target.filesAndTasks],
  ['KEY', keyOf('guide')],
  ['ROOT', target.agents],
  ['USERNAME', userNameOf('guide', 'admin')],
  ['PASSWORD', PASSWORD],
]);

const calls = GUIDES.flatMap((guide) => callsIn(readFileSync(guide, 'utf8')));

it('shows more than a few calls', () => {
  expect(calls.length).toBeGreaterThan(8);
});

/** An answer that says when to ask again is no final one: of what is under way soon, of a limit in its next window. */
async function answered({ url, method, headers, body }: GuideCall): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const seconds = Number(reply.headers.get('retry-after'));
    if (seconds === 0 || ![200, 429].includes(reply.status)) return reply;
    await setTimeout(reply.status === 200 ? 50 : seconds * 1_000);
  }
}

const MOST_RACES = 20;

/** Keeps what later calls need of the answer. */
async function made(call: (typeof calls)[number]): Promise<{ status: number; text: string }> {
  const reply = await answered(parsed(call, variables));
  const text = await reply.text();
  const got = text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {};
  for (const [field, name] of Object.entries(CAPTURED)) if (got[field]) variables.set(name, got[field]);
  return { status: reply.status, text };
}

/** For a few races, and for the next minute of a limit that they have used up. */
const timeout = 180_000;

it.each(calls.map((call, at) => ({ call, before: calls[at - 1] })))(
  '$call.text',
  { timeout },
  async ({ call, before }) => {
    let { status, text } = await made(call);
    // The work was quicker: both are done once more.
    for (let races = 0; call.isSwift && before && status !== call.status && races < MOST_RACES; races++) {
      await made(before);
      ({ status, text } = await made(call));
    }
    expect(status, text).toBe(call.status);
    if (!call.answer.startsWith('{')) return expect(text).toBe(call.answer);
    expect(settled(JSON.parse(text))).toEqual(settled(JSON.parse(call.answer)));
  },
);
