import { beforeEach, expect, it } from 'vitest';
import { localState } from '../../../bin/operator/local-state.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { suppress } from '../../../shared/mail/suppressions.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, state } = withAcme();
const ANN = 'ann@readers.org';
beforeEach(async () => {
  const local = await localState({ ERRAND_STATE: state() });
  for (const name of ['ann', 'bob']) {
    const mark = recipientMark(acme().id, `${name}@readers.org`);
    await suppress(local, acme().id, { mark, by: 'unsubscribed', hint: `${name[0]}…@readers.org` });
  }
  local.close();
});

it('lists the suppressed recipients of an organization, with a hint of each address', async () => {
  const listed = await json(['suppression', 'list', 'Acme']);
  expect(listed.map(({ address, by }: Record<string, string>) => [address, by]).sort()).toEqual([
    ['a…@readers.org', 'unsubscribed'],
    ['b…@readers.org', 'unsubscribed'],
  ]);
  expect(JSON.stringify(listed)).not.toContain(ANN);
  expect(await json(['suppression', 'list', 'Acme', '--limit', '1'])).toHaveLength(1);
});

it('removes a recipient by address in any spelling, or by id, and audits it', async () => {
  expect(await json(['suppression', 'remove', 'Acme', 'Ann@Readers.org'])).toMatchObject({ state: 'removed' });
  const mark = recipientMark(acme().id, 'bob@readers.org');
  expect(await json(['suppression', 'remove', 'Acme', mark])).toMatchObject({ mark, state: 'removed' });
  expect(await json(['suppression', 'list', 'Acme'])).toEqual([]);
  await refuses(['suppression', 'remove', 'Acme', ANN], /Acme does not suppress this address/);
  const audit = await json(['audit', 'Acme', '--limit', '3']);
  expect(audit.map(({ act }: { act: string }) => act)).toEqual(Array(3).fill('suppression remove'));
  expect(JSON.stringify(audit)).not.toContain(ANN);
});

it('accepts an id that begins like an option', async () => {
  const marks = Array.from({ length: 2_000 }, (_, at) => recipientMark(acme().id, `reader-${at}@readers.org`));
  const dashed = marks.find((mark) => mark.startsWith('-')) ?? '';
  await refuses(['suppression', 'remove', 'Acme', dashed], /Acme does not suppress this address/);
});

it.each([
  [['suppression', 'list', 'Nobody'], /There is no organization "Nobody"/],
  [['suppression', 'list', 'Acme', '--limit', '0'], /--limit is from 1/],
])('refuses %j in one line', async (args, remedy) => refuses(args, remedy));
