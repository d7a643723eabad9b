/** Bounces and complaints: the events of SES, the run that records them, and the recipients that are suppressed. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isMailEvent, mailReportIn } from '../../../adapters/aws/mail-reports.ts';
import { handleMailEvent, mailTags } from '../../../shared/mail/mail-events.ts';
import { laterReports, withLaterReports } from '../../../shared/mail/mail-outcomes.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { suppressedAmong } from '../../../shared/mail/suppressions.ts';
import { type OpenedMail, openMail } from '../../agents/notification/setup.ts';

let at: OpenedMail;
beforeEach(async () => {
  at = await openMail();
});
afterEach(() => at.close());

const ANN = 'ann@readers.org';

/** An event of SES with its tags. */
function reportEvent(detail: object, run = 'once', to = ANN) {
  const tags = mailTags(at.address, { run, mark: recipientMark(at.organization, to) });
  const listed = Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]]));
  const mail = { messageId: 'id-1', destination: [to], tags: { ...listed, 'ses:configuration-set': ['set'] } };
  return { version: '0', source: 'aws.ses', 'detail-type': 'Email Bounced', detail: { mail, ...detail } };
}
const bounce = (bounceType = 'Permanent') => ({
  eventType: 'Bounce',
  bounce: {
    bounceType,
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: ANN, action: 'failed', diagnosticCode: 'smtp; 550 no such user' }],
    timestamp: '2026-11-20T09:00:00.000Z',
  },
});
const complaint = {
  eventType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress: ANN }], complaintFeedbackType: 'abuse' },
};

async function hear(event: object) {
  const heard = mailReportIn(event);
  if (!heard) throw new Error('nothing was heard');
  await handleMailEvent(at, heard);
}

const suppressionOf = async (to = ANN) =>
  (await suppressedAmong(at.table, at.organization, [recipientMark(at.organization, to)]))[0];
const run = (asked = {}, o = {}) => at.run({ content: { recipients: [ANN, 'bob@readers.org'] }, ...asked }, o);
const withLater = async (report: object) =>
  withLaterReports(report as Record<string, unknown>, await laterReports(at.table, at.address));

it('adds a bounce to its run, and sends no more mail to that address', async () => {
  const { report } = await run();
  await hear(reportEvent(bounce()));
  expect(await withLater(report?.results ?? {})).toMatchObject({
    recipients: [
      {
        address: ANN,
        status: 'bounced',
        reason: 'Permanent, General, smtp; 550 no such user',
        sent_at: expect.any(String),
      },
      { address: 'bob@readers.org', status: 'sent' },
    ],
  });
  expect(await suppressionOf()).toMatchObject({ by: 'bounced', hint: 'a…@readers.org' });
  const next = await run({}, { run: { number: 2, slotAt: 2 } });
  expect(next.report?.results).toMatchObject({ counts: { sent: 1, suppressed: 1 } });
});

it('finds the run of several that it was, as they are shown together', async () => {
  const runs = [];
  for (const number of [1, 2])
    runs.push({ run: number, results: (await run({}, { run: { number, slotAt: number } })).report?.results });
  await hear(reportEvent(complaint, '2-2'));
  const [first, second] = (await withLater({ runs })).runs as { results: { recipients: { status: string }[] } }[];
  expect(first?.results.recipients.map(({ status }) => status)).toEqual(['sent', 'sent']);
  expect(second?.results.recipients.map(({ status }) => status)).toEqual(['complained', 'sent']);
});

it('keeps sending to a mailbox that was only full', async () => {
  const { report } = await run();
  await hear(reportEvent(bounce('Transient')));
  expect(await suppressionOf()).toBeUndefined();
  expect(await withLater(report?.results ?? {})).toMatchObject({
    recipients: [{ status: 'bounced' }, { status: 'sent' }],
  });
});

it('ignores a repeated event', async () => {
  await run();
  await hear(reportEvent(bounce()));
  const before = await suppressionOf();
  at.clock.pass(1_000);
  await hear(reportEvent(bounce()));
  expect(await suppressionOf()).toEqual(before);
});

it('tells events of mails from calls of the clock, and hears nothing of what is not ours', () => {
  expect(isMailEvent(reportEvent(bounce()))).toBe(true);
  for (const other of [{}, null, 'x', { source: 'aws.scheduler' }]) expect(isMailEvent(other)).toBe(false);
  const event = reportEvent(bounce());
  const { mail } = event.detail;
  const without = (name: string) => ({
    ...event,
    detail: { ...event.detail, mail: { ...mail, tags: { ...mail.tags, [name]: undefined } } },
  });
  for (const name of ['organization', 'task', 'run', 'recipient'])
    expect(mailReportIn(without(name)), name).toBeUndefined();
  const spelt = (tags: object) => ({
    ...event,
    detail: { ...event.detail, mail: { ...mail, tags: { ...mail.tags, ...tags } } },
  });
  for (const tags of [{ run: ['a#b'] }, { recipient: ['#'] }, { organization: ['x', 'y'] }, { task: ['../..'] }])
    expect(mailReportIn(spelt(tags))).toBeUndefined();
  expect(mailReportIn({ ...event, detail: { ...event.detail, eventType: 'Delivery' } })).toBeUndefined();
  expect(mailReportIn({ source: 'aws.ses' })).toBeUndefined();
});
