import { expect, it } from 'vitest';
import { listAudit, withAudit } from '../../../shared/accounts/audit.ts';
import { Problem } from '../../../shared/core/problem.ts';
import { useAccounts } from './setup.ts';

const state = useAccounts();
const organization = '01900000-0000-7000-8000-000000000001';
const act = { by: 'operator:ann', act: 'key create', organization, subject: 'CI' };
const list = (o: { organization?: string; max?: number } = {}) => listAudit(state().table, { max: 100, ...o });

it('is written before the action, and records its outcome', async () => {
  const run = async () => {
    expect(await list()).toMatchObject([{ ...act, outcome: 'begun' }]);
    return 'abc';
  };
  expect(await withAudit(state(), act, run, (id) => ({ subject: `key:${id}` }))).toBe('abc');
  expect(await list()).toEqual([
    { ...act, id: expect.any(String), at: state().clock.now(), subject: 'key:abc', outcome: 'done' },
  ]);
});

it('records a failed action, and rethrows its error', async () => {
  const fault = new Problem('invalid', 'no');
  await expect(withAudit(state(), act, () => Promise.reject(fault))).rejects.toBe(fault);
  expect(await list()).toMatchObject([{ ...act, outcome: 'failed' }]);
});

it('prevents an action that it cannot record', async () => {
  let happened = false;
  const table = { ...state().table, insert: () => Promise.reject(new Error('no room')) };
  const run = async () => {
    happened = true;
  };
  await expect(withAudit({ ...state(), table }, act, run)).rejects.toThrow('no room');
  expect(happened).toBe(false);
});

it('rethrows the error of the action if its outcome cannot be written', async () => {
  const table = { ...state().table, replace: () => Promise.reject(new Error('no room')) };
  await expect(withAudit({ ...state(), table }, act, () => Promise.reject(new Error('first')))).rejects.toThrow(
    'first',
  );
  expect(await list()).toMatchObject([{ outcome: 'begun' }]);
});

it('lists the newest first, of all organizations or of one', async () => {
  for (const n of [1, 2, 3]) {
    await withAudit(state(), { ...act, subject: `mine ${n}` }, async () => undefined);
    await withAudit(state(), { by: 'operator:ann', act: 'announce', subject: `all ${n}` }, async () => undefined);
    state().clock.pass(1);
  }
  const subjects = async (o: Parameters<typeof list>[0]) => (await list(o)).map(({ subject }) => subject);
  expect(await subjects({})).toEqual(['all 3', 'mine 3', 'all 2', 'mine 2', 'all 1', 'mine 1']);
  expect(await subjects({ organization })).toEqual(['mine 3', 'mine 2', 'mine 1']);
  expect(await subjects({ organization, max: 2 })).toEqual(['mine 3', 'mine 2']);
  expect(await subjects({ max: 1 })).toEqual(['all 3']);
  expect(await subjects({ organization: '01900000-0000-7000-8000-000000000002' })).toEqual([]);
});

it('lists the actions of an organization beyond one page', async () => {
  for (let n = 0; n < 130; n++) await withAudit(state(), { ...act, subject: `${n}` }, async () => undefined);
  const entries = await list({ organization, max: 120 });
  expect(entries.map(({ subject }) => subject)).toEqual(Array.from({ length: 120 }, (_, n) => `${129 - n}`));
});

it('shortens any long subject', async () => {
  await withAudit(state(), { ...act, subject: 'x'.repeat(100_000) }, async () => undefined);
  expect((await list())[0]?.subject).toHaveLength(200);
});
