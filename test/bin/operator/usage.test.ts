/** `errand usage`, with the organization as an argument or by `--org`. */
import { expect, it } from 'vitest';
import { withAcme } from './errand.ts';
import { submitOne } from './submit-one.ts';

const { acme, json, refuses, run, state } = withAcme();

it('shows the tasks of today, what is unfinished and what is stored', async () => {
  await submitOne(state(), acme().id);
  const today = new Date().toISOString().slice(0, 10);
  const report = await json(['usage', 'Acme']);
  expect(report).toMatchObject({ organization: acme().id, unfinishedTasks: 1, storage: { files: 0, bytes: 0 } });
  expect(report.days).toHaveLength(30);
  expect(report.days[0]).toEqual({ date: today, chatTasks: 1, agentTasks: 0, inputTokens: 0, outputTokens: 0 });
  const { stdout } = await run(['usage', 'Acme']);
  expect(stdout).toContain(today);
  expect(stdout).toContain('Unfinished tasks: 1. Stored: 0 files, 0 bytes.');
});

it.each([
  ['usage'],
  ['org', 'show'],
  ['org', 'limits', 'reads'],
  ['key', 'list'],
  ['user', 'list'],
  ['audit'],
  ['suppression', 'list'],
  ['webhook-secret', 'rotate', '--again'],
])('accepts --org in place of ORG: %s %s', async (...words: string[]) => {
  const done = await run([...words, '--org', 'Acme']);
  expect(done).toMatchObject({ status: 0, stderr: '' });
  await refuses([...words, '--org', 'Nobody'], /no organization "Nobody"/);
});
