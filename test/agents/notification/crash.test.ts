/** A worker that dies between two steps: the next worker repeats at most the one mail that was being sent. */
import { afterEach, expect, it } from 'vitest';
import type { Mail, Table } from '../../../shared/ports.ts';
import { type OpenedMail, openMail, ROOT, SENDER, scriptedMailer } from './setup.ts';

let at: OpenedMail;
afterEach(() => at.close());

const recipients = ['a', 'b', 'c', 'd'].map((name) => `${name}@readers.org`);
const asks = { content: { recipients } };

/** Counts every external call, and dies at one of them: before it, or after it with the reply lost. */
function dying(step: number, when: 'before' | 'after') {
  let steps = 0;
  const stepping = async <T>(run: () => Promise<T>): Promise<T> => {
    const dies = ++steps === step;
    if (dies && when === 'before') throw new Error('died');
    const done = await run();
    if (dies) throw new Error('died');
    return done;
  };
  return { stepping, count: () => steps };
}

async function sendWith(step: number, when: 'before' | 'after') {
  at = await openMail();
  const { stepping, count } = dying(step, when);
  const mailer = scriptedMailer((nth) => ({ accepted: `id-${nth}` }));
  const send = (mail: Mail) => mailer.send(mail);
  const table: Table = {
    ...at.table,
    getMany: (keys) => stepping(() => at.table.getMany(keys)),
    insert: (draft, first) => stepping(() => at.table.insert(draft, first)),
  };
  const sending = { sender: SENDER, rootUrl: ROOT, mailer: { send: (mail: Mail) => stepping(() => send(mail)) } };
  const from = await at.run(asks, { most: 2 });
  const died = await at.run(asks, { first: 2, from, over: { table, sending } }).then(
    () => false,
    () => true,
  );
  const { report } = await at.run(asks, { first: 2, from, over: { sending: { ...sending, mailer } } });
  return { died, steps: count(), given: mailer.given, report };
}

it.each(['before', 'after'] as const)('repeats at most one mail after a crash %s a step', async (when) => {
  for (let step = 1; ; step++) {
    const { died, steps, given, report } = await sendWith(step, when);
    if (!died) {
      // Two reads, a mail and a row for each recipient.
      expect(steps).toBe(4 * recipients.length);
      expect(given).toHaveLength(recipients.length);
      break;
    }
    const to = given.map((mail) => mail.to);
    expect([...new Set(to)].sort()).toEqual(recipients);
    expect(to.length - recipients.length).toBeLessThanOrEqual(1);
    // The repeated mail has the same id, so that mail programs show it once.
    const ids = given.map(({ raw }) => /^Message-ID:\s+(\S+)/im.exec(String(raw))?.[1]);
    expect(new Set(ids).size).toBe(recipients.length);
    expect(report?.results).toMatchObject({ counts: { sent: recipients.length } });
    at.close();
  }
});

it('does not repeat a mail that another worker of the run has sent meanwhile', async () => {
  at = await openMail();
  const from = await at.run(asks, { most: 2 });
  const mailer = scriptedMailer(async (nth) => {
    // While the first worker is frozen at its first mail, a second one completes the run.
    if (nth === 0) await at.run(asks, { first: 2, from });
    return { accepted: `frozen-${nth}` };
  });
  await at.run(asks, { first: 2, from, over: { sending: { sender: SENDER, rootUrl: ROOT, mailer } } });
  expect(mailer.given).toHaveLength(1);
  expect(at.files()).toHaveLength(recipients.length);
});

it('sends again in the next run, with new Message-IDs', async () => {
  at = await openMail();
  for (const number of [1, 2]) await at.run(asks, { run: { number, slotAt: number } });
  const ids = (await at.mails()).map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(2 * recipients.length);
});
