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

/** An answer that says when to ask again is no final one. */
async function answered({ url, method, headers, body }: GuideCall): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    if (reply.status !== 200 || !reply.headers.has('retry-after')) return reply;
    await setTimeout(50);
  }
}

it.each(calls)('$text', async (call) => {
  const { status, answer, ...asked } = parsed(call, variables);
  const reply = await answered({ ...asked, status, answer });
  const text = await reply.text();
  expect(reply.status, text).toBe(status);
  if (!answer.startsWith('{')) return expect(text).toBe(answer);
  const got = JSON.parse(text) as Record<string, string>;
  expect(settled(got)).toEqual(settled(JSON.parse(answer)));
  for (const [field, name] of Object.entries(CAPTURED)) if (got[field]) variables.set(name, got[field]);
});
