/** The notification agent: its mails, their recipients, and its results. */

import { afterEach, expect, it } from 'vitest';
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { chartPng } from '../../../engines/charts/chart-image.ts';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { suppress } from '../../../shared/mail/suppressions.ts';
import { faultsIn } from '../../engines/mail/mail-lint.ts';
import type { Any } from '../../support/any.ts';
import { scriptedModel } from '../scripted-model.ts';
import { gatheringOf, item, type OpenedMail, openMail, rates, SENDER, scriptedMailer } from './setup.ts';

let at: OpenedMail;
afterEach(() => at.close());

const asks = (content: object = {}, more: object = {}) => ({
  ...more,
  content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds', 'market_data'], ...content },
});
const both = () => ({
  news_feeds: gatheringOf([item(), item({ title: 'A second thing', address: 'https://news.errand.test/two' })]),
  market_data: gatheringOf(rates(), { source: 'market_data', queries: 2 }),
});

it('sends each recipient one well-formed mail', async () => {
  at = await openMail({ sources: both() });
  const { report } = await at.run(
    asks(
      { recipients: ['ann@readers.org', 'ANN@readers.org', 'bob@readers.org'], include_charts: true },
      {
        notification_type: 'weekly_report',
      },
    ),
  );
  const mails = await at.mails();
  expect(mails.map(({ to }) => to?.[0]?.address)).toEqual(['ann@readers.org', 'bob@readers.org']);
  for (const mail of mails) expect(faultsIn(mail)).toEqual([]);
  const [mail] = mails;
  expect(mail?.from).toEqual({ name: 'Acme & Söhne via Errand', address: SENDER });
  expect(mail?.subject).toBe('Weekly report: Rates stay where they are');
  expect(mail?.text).toContain('12 new items from News feeds and Market data, 10 with figures.');
  expect(mail?.text).toContain('US dollar: 1.125 per EUR');
  expect(mail?.attachments).toHaveLength(2);
  const mark = recipientMark(at.organization, 'ann@readers.org');
  expect(mail?.messageId).toBe(`<${at.address.taskId}.once.${mark}@errand.test>`);
  expect(report).toMatchObject({
    sources: 2,
    queries: 3,
    preview: { subject: mail?.subject, recipients: 2, sent: 2, suppressed: 0, refused: 0 },
    confidence: { dataQuality: 1, analysisCompleteness: 1, sourceReliability: 1 },
    stages: ['gathering', 'composing', 'sending', 'reporting'],
    results: {
      notification_type: 'weekly_report',
      format: 'html',
      run: null,
      slot: null,
      charts: 2,
      recipients: [
        { address: 'ann@readers.org', status: 'sent', message_id: mail?.messageId, reason: null },
        { address: 'bob@readers.org', status: 'sent' },
      ],
    },
  });
});

it('counts a repeated figure once, and one that was measured again twice', async () => {
  const storyOf = (day: number, title: string, text: string) =>
    item({
      title,
      text,
      publishedAt: `2026-11-${day}T09:00:00.000Z`,
      figures: [{ label: 'Freight', value: day > 15 ? 2310 : 2243 }],
    });
  const story =
    'Spot rates for a container from Asia to Northern Europe rose by 3 per cent to USD 2,310, Eastmere says.';
  const again =
    'Rates for a container from Asia to Northern Europe rose by 3 per cent to USD 2,310, according to Eastmere.';
  const before = storyOf(13, 'A first rise', 'Spot rates rose by 1.8 per cent to USD 2,243.');
  const read = async (items: ReturnType<typeof storyOf>[]) => {
    at = await openMail({ sources: { news_feeds: gatheringOf(items) } });
    await at.run(asks({ data_sources: ['news_feeds'] }));
    return (await at.mails())[0]?.text;
  };
  const retold = await read([
    storyOf(20, 'Freight rates rise again', story),
    storyOf(19, 'Rates up again', again),
    before,
  ]);
  expect(retold).toContain('Freight: 2,310 (19 Nov 2026, +3 % since 13 Nov 2026)');
  at.close();
  const measured = await read([storyOf(20, 'Reference rates', ''), storyOf(19, 'Reference rates', '')]);
  expect(measured).toContain('Freight: 2,310 (20 Nov 2026, 0 % since 19 Nov 2026)');
});

it('never compares a figure with itself when two stories report the same value', async () => {
  const results = (day: string, title: string, value: number) =>
    item({
      title,
      text: `${title}: it earned more.`,
      publishedAt: `2026-${day}T09:00:00.000Z`,
      figures: [{ label: 'Revenue', value, unit: 'EUR million' }],
    });
  const items = [
    results('11-05', 'Brightwater reports results for Q3 2026', 1284),
    results('10-25', 'Brightwater: results for Q3 2026', 1284),
    results('07-25', 'Brightwater: results for Q2 2026', 1242),
  ];
  at = await openMail({ sources: { news_feeds: gatheringOf(items) } });
  await at.run(asks({ data_sources: ['news_feeds'] }));
  expect((await at.mails())[0]?.text).toContain('Revenue: EUR 1,284 million (25 Oct 2026, +3.4 % since 25 Jul 2026)');
});

it('compares a record of a series with the previous one, even if their values are equal', async () => {
  const review = (month: string, title: string) =>
    item({
      title,
      text: `${title}: wheat costs 214.`,
      publishedAt: `2026-${month}-03T09:00:00.000Z`,
      figures: [{ label: 'Wheat', value: 214, unit: 'EUR/t' }],
    });
  const items = [review('11', 'Market review, November 2026'), review('10', 'Market review, October 2026')];
  at = await openMail({ sources: { news_feeds: gatheringOf(items) } });
  await at.run(asks({ data_sources: ['news_feeds'] }));
  expect((await at.mails())[0]?.text).toContain('Wheat: 214 EUR/t (3 Nov 2026, 0 % since 3 Oct 2026)');
});

it('shows the figure of the subject first, and then the newest', async () => {
  const record = (label: string, day: number) =>
    item({
      title: `${label} today`,
      text: '',
      publishedAt: `2026-11-${day}T09:00:00.000Z`,
      figures: [{ label, value: day, unit: 'USD' }],
    });
  const old = Array.from({ length: 9 }, (_, nth) => record(`Index of kind ${nth}`, 10 + nth));
  const items = [record('Container Asia to Europe', 20), ...old, record('Old container price', 10)];
  at = await openMail({ sources: { market_data: gatheringOf(items, { source: 'market_data' }) } });
  await at.run(asks({ data_sources: ['market_data'], subject: 'Container freight: rates rise' }));
  const rows = (await at.mails())[0]?.text?.match(/(?:Index of kind \d|[\w ]*[Cc]ontainer[\w ]*): USD \d+/g);
  expect(rows?.slice(0, 3).map((row) => row.trim())).toEqual([
    'Container Asia to Europe: USD 20',
    'Old container price: USD 10',
    'Index of kind 8: USD 18',
  ]);
  expect(rows).toHaveLength(8);
});

it('warns of scripts that the pictures of the charts cannot show', async () => {
  const record = (day: number) =>
    item({
      title: 'Rates',
      text: '',
      publishedAt: `2026-11-${day}T09:00:00.000Z`,
      figures: [{ label: '東京', value: day, unit: 'USD' }],
    });
  const sources = { market_data: gatheringOf([record(20), record(19), record(18)], { source: 'market_data' }) };
  at = await openMail({ sources, chartPng: chartPng(fontFilesFromCheckout()) });
  const { report } = await at.run(asks({ data_sources: ['market_data'], include_charts: true }));
  expect(report?.warnings).toEqual([
    PASSAGES_ONLY,
    'The charts cannot show text in these scripts: Han. The name of the script stands in its place; the e-mail shows the text.',
  ]);
  expect((await at.mails())[0]?.html).toContain('東京');
});

it('warns when charts were asked for and nothing can be drawn', async () => {
  at = await openMail({ sources: { news_feeds: gatheringOf([item()]) } });
  const { report } = await at.run(asks({ data_sources: ['news_feeds'], include_charts: true }));
  expect(report).toMatchObject({
    results: { charts: 0 },
    warnings: [
      PASSAGES_ONLY,
      'input.content.include_charts had no effect: what is new in the sources has no figures to draw.',
    ],
  });
});

it('lists unavailable sources in the mail and in the results', async () => {
  const faults = [{ address: 'https://rates.errand.test/', reason: 'answered 503' }];
  at = await openMail({ sources: { market_data: gatheringOf([], { source: 'market_data', faults, queries: 1 }) } });
  const { report } = await at.run(asks());
  const [mail] = await at.mails();
  expect(mail?.text).toContain('Market data: https://rates.errand.test/ answered 503.');
  expect(mail?.text).toContain('News feeds: nothing was published.');
  expect(faultsIn(mail)).toEqual([]);
  expect(report).toMatchObject({
    sources: 0,
    confidence: { dataQuality: 0, analysisCompleteness: 0, sourceReliability: 0 },
    results: {
      sources: [
        { source: 'news_feeds', items: 0 },
        { source: 'market_data', faults },
      ],
    },
  });
});

it('marks samples as such', async () => {
  at = await openMail({ sources: { news_feeds: gatheringOf([item()], { isSample: true }) } });
  const { report } = await at.run(asks({ data_sources: ['news_feeds'] }));
  expect((await at.mails())[0]?.text).toContain('News feeds: fictional sample data');
  expect(report).toMatchObject({
    confidence: { dataQuality: 0.5, sourceReliability: 1 },
    results: { sources: [{ is_sample: true }] },
  });
});

it('carries the message and the subject of the caller, and needs no source', async () => {
  at = await openMail();
  const content = {
    recipients: ['ann@readers.org'],
    subject: 'Board\r\nBcc: x@y.org',
    message: 'At ten.\n\nBring <the> papers.',
  };
  const { report } = await at.run({ notification_type: 'reminder', content });
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Board Bcc: x@y.org');
  expect(mail?.text).toContain('\n\nA message from Acme & Söhne:\n\n> At ten.\n\n> Bring <the> papers.\n');
  expect(faultsIn(mail)).toEqual([]);
  expect(report?.confidence).toBeUndefined();
});

it('introduces a message without sources by its sender, and takes no line of it as subject or heading', async () => {
  at = await openMail();
  const message = 'Hello team,\n\nThe meeting is moved to 3 pm.';
  const { report } = await at.run({ content: { recipients: ['ann@readers.org'], message } });
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('A message from Acme & Söhne');
  expect(mail?.text).toMatch(
    /^[^\n]+2026\n\nA message from Acme & Söhne\n=+\n\n> Hello team,\n\n> The meeting is moved to 3 pm.\n/,
  );
  expect(faultsIn(mail)).toEqual([]);
  expect(report?.results).toMatchObject({ sources: [] });
  at.close();
  at = await openMail();
  await at.run({ notification_type: 'board_reminder', content: { recipients: ['ann@readers.org'], message } });
  expect((await at.mails())[0]?.subject).toBe('Board reminder');
});

it.each([{}, { data_sources: [] }])('reads the default sources without a message: %j', async (content) => {
  at = await openMail({ sources: both() });
  const { report } = await at.run({ content: { recipients: ['ann@readers.org'], ...content } });
  expect((await at.mails())[0]?.subject).toBe('Digest: Reference rates');
  const read = ['financial_reports', 'market_data', 'news_feeds'].map((source) => ({ source }));
  expect(report?.results).toMatchObject({ sources: read });
});

it('escapes the texts of sources', async () => {
  const bad = item({
    title: '<script>alert(1)</script>',
    text: '"><img src=x onerror=alert(1)>',
    address: 'javascript:alert(1)',
  });
  at = await openMail({ sources: { news_feeds: gatheringOf([bad]) } });
  await at.run(asks({ data_sources: ['news_feeds'] }));
  const [mail] = await at.mails();
  expect(faultsIn(mail)).toEqual([]);
  expect(mail?.html).not.toMatch(/<script|<img|javascript:/);
});

it('is composed without the model if its answer is not usable, and says so', async () => {
  at = await openMail({ sources: both(), model: scriptedModel({ text: 'no JSON' }).model });
  const { report } = await at.run(asks());
  expect(report?.queries).toBe(5);
  expect(report?.warnings).toEqual([
    'The model gave no usable answer to 1 question, also when asked again: that part was done without it.',
  ]);
  expect(report?.confidence?.analysisCompleteness).toBe(0.8);
  expect((await at.mails())[0]?.subject).toBe('Digest: Rates stay where they are');
});

it('sends no mail to unsubscribed recipients, and reports them', async () => {
  at = await openMail({ sources: both() });
  const mark = recipientMark(at.organization, 'Ann@Readers.org');
  await suppress(at, at.organization, { mark, by: 'unsubscribed', hint: 'a…@readers.org' });
  const { report } = await at.run(asks({ recipients: ['ann@readers.org', 'bob@readers.org'] }));
  expect((await at.mails()).map(({ to }) => to?.[0]?.address)).toEqual(['bob@readers.org']);
  expect(report?.results).toMatchObject({
    counts: { sent: 1, suppressed: 1, refused: 0 },
    recipients: [{ status: 'suppressed', reason: 'unsubscribed', message_id: null }, { status: 'sent' }],
  });
});

it('shows what is new since the previous slot in a recurring mail', async () => {
  const old = item({ title: 'Long ago', publishedAt: '2026-11-01T09:00:00.000Z' });
  at = await openMail({ sources: { news_feeds: gatheringOf([item(), old]) } });
  const run = { number: 3, slotAt: Date.UTC(2026, 10, 21, 8) };
  const { report } = await at.run(asks({ data_sources: ['news_feeds'] }, { schedule: { frequency: 'daily' } }), {
    run,
  });
  const [mail] = await at.mails();
  expect(mail?.text).toContain('1 new item from News feeds.');
  expect(mail?.text).not.toContain('Long ago');
  expect(mail?.messageId).toContain(`.3-${run.slotAt}.`);
  expect(report?.results).toMatchObject({ run: 3, slot: '2026-11-21T08:00:00.000Z' });
});

it('waits while the mail service is at its limit, and then continues', async () => {
  at = await openMail();
  const mailer = scriptedMailer((nth) => (nth < 3 ? 'again' : { accepted: `id-${nth}` }));
  const sending = { mailer, sender: SENDER, rootUrl: 'https://x.org' };
  const { report } = await at.run(asks({ data_sources: [] }), { over: { sending } });
  expect(at.pauses).toEqual([1_000, 2_000, 4_000]);
  expect(new Set(mailer.given.map(({ raw }) => String(raw))).size).toBe(1);
  expect(report?.results).toMatchObject({ counts: { sent: 1 } });
});

it('gives up this run if the mail service stays at its limit, and immediately if the sender is not allowed to send', async () => {
  at = await openMail();
  const over = (mailed: Any) => ({
    over: { sending: { mailer: scriptedMailer(() => mailed), sender: SENDER, rootUrl: 'https://x.org' } },
  });
  await expect(at.run(asks(), over('again'))).rejects.toMatchObject({ code: 'PROCESSING_FAILED', mayPass: true });
  await expect(at.run(asks(), over({ refused: 'badSender' }))).rejects.toMatchObject({
    mayPass: false,
    message: /verify/,
  });
  await expect(at.run(asks(), { over: { sending: undefined } })).rejects.toMatchObject({ message: /sender address/ });
});

it('reports which recipients were refused, and fails if all were', async () => {
  at = await openMail();
  const mailer = scriptedMailer((nth) => (nth === 0 ? { refused: 'rejected' } : { accepted: 'x' }));
  const over = { sending: { mailer, sender: SENDER, rootUrl: 'https://x.org' } };
  const { report } = await at.run(asks({ recipients: ['a@readers.org', 'b@readers.org'] }), { over });
  expect(report?.results).toMatchObject({
    recipients: [{ status: 'refused', reason: 'rejected' }, { status: 'sent' }],
  });
  const none = {
    sending: { mailer: scriptedMailer(() => ({ refused: 'tooLarge' })), sender: SENDER, rootUrl: 'https://x.org' },
  };
  await expect(at.run(asks({ recipients: ['c@readers.org'] }), { over: none })).rejects.toMatchObject({
    message: /None of 1 mail was taken/,
  });
});
