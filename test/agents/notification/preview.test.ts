/** A preview of a notification: the e-mail as files of the results, and none in the outbox. */
import { afterEach, expect, it } from 'vitest';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { suppress } from '../../../shared/mail/suppressions.ts';
import type { Any } from '../../support/any.ts';
import { fileOf } from '../run-stages.ts';
import { gatheringOf, item, type OpenedMail, openMail, rates } from './setup.ts';

let at: OpenedMail;
afterEach(() => at.close());

const recipients = ['ann@readers.org', 'ANN@readers.org', 'bob@readers.org'];
const asks = (content: object = {}, more: object = {}) => ({
  ...more,
  content: { recipients, data_sources: ['news_feeds', 'market_data'], ...content },
});
const open = () =>
  openMail({
    sources: {
      news_feeds: gatheringOf([item()]),
      market_data: gatheringOf(rates(), { source: 'market_data' }),
    },
  });
const previewOf = (asked: Any) => at.run(asked, { preview: true, over: { sending: undefined } });
const texts = async (report: Any) => {
  const named = report.files.map(async (file: Any, nth: number) => [
    file.name,
    String(await fileOf(at.blobs, report, nth)),
  ]);
  return Object.fromEntries(await Promise.all(named));
};

it('shows what the notification would send, to nobody, also without a sender', async () => {
  at = await open();
  const { report } = await previewOf(asks({ include_charts: true }));
  expect(at.files()).toEqual([]);
  expect(report).toMatchObject({
    stages: ['gathering', 'composing', 'reporting'],
    preview: { recipients: 0, sent: 0, suppressed: 0, refused: 0 },
    results: {
      counts: { sent: 0, suppressed: 0, refused: 0 },
      recipients: [],
      charts: 2,
      preview: { html_file: 'mail.html', would_go_to: 2 },
    },
  });
  const { 'mail.html': html, 'mail.txt': text } = await texts(report);
  await at.run(asks({ include_charts: true }));
  const [sent] = await at.mails();
  const withoutLink = (words = '') =>
    words.replaceAll(/https:\/\/\S+?\/unsubscribe\/[\w.-]+|#unsubscribe|\(a link .*\)/g, '').trim();
  const { preview } = (report as Any).results;
  expect(preview.subject).toBe(sent?.subject);
  expect(withoutLink(text)).toBe(withoutLink(sent?.text));
  expect(preview.text).toBe(text);
  expect(withoutLink(html).replaceAll(/src="data:image\/png;base64,[^"]+"/g, 'src=""')).toBe(
    withoutLink(sent?.html).replaceAll(/src="cid:[^"]+"/g, 'src=""'),
  );
  expect(html.match(/src="data:image\/png;base64,/g)).toHaveLength(2);
});

it('counts only recipients who have not unsubscribed', async () => {
  at = await open();
  const mark = recipientMark(at.organization, 'ann@readers.org');
  await suppress(at, at.organization, { mark, hint: 'a…@readers.org', by: 'unsubscribed' });
  const { report } = await previewOf(asks());
  expect((report as Any).results.preview.would_go_to).toBe(1);
});

it('has no HTML for an e-mail of text alone', async () => {
  at = await open();
  const { report } = await previewOf(asks({ format: 'text' }));
  expect(Object.keys(await texts(report))).toEqual(['mail.txt']);
  expect((report as Any).results.preview.html_file).toBeNull();
});

it('takes the items of the last period of its schedule as new', async () => {
  at = await open();
  const items = [10, 23].map((day) => item({ title: `Day ${day}`, publishedAt: `2026-05-${day}T12:00:00.000Z` }));
  const over = { gather: async () => gatheringOf(items) };
  const titles = async (schedule: object | undefined) => {
    const { report } = await at.run(asks({ data_sources: ['news_feeds'] }, { schedule }), { preview: true, over });
    return ['Day 10', 'Day 23'].filter((title) => (report as Any).results.preview.text.includes(`* ${title}`));
  };
  at.clock.pass(Date.parse('2026-05-25T08:00:00.000Z') - at.clock.now());
  expect(await titles(undefined)).toEqual(['Day 10', 'Day 23']);
  expect(await titles({ frequency: 'monthly' })).toEqual(['Day 10', 'Day 23']);
  expect(await titles({ frequency: 'weekly', day_of_week: 'monday', time: '07:00:00' })).toEqual(['Day 23']);
  expect(await titles({ frequency: 'daily' })).toEqual([]);
});

it('names long texts in full in the file only', async () => {
  at = await open();
  const many = Array.from({ length: 8 }, (_, nth) => item({ title: `Item ${nth}`, text: 'long text '.repeat(60) }));
  const over = { gather: async (_: string, source: string) => gatheringOf(many, { source }) };
  const data_sources = ['a', 'b', 'c', 'd', 'e', 'f'];
  const { report } = await at.run(asks({ data_sources }, { notification_type: 'report' }), { preview: true, over });
  const { text } = (report as Any).results.preview;
  expect(text).toHaveLength(20_000);
  expect((await texts(report))['mail.txt'].length).toBeGreaterThan(25_000);
});

it('shows the e-mail whose condition does not hold, and says that it would not be sent', async () => {
  at = await open();
  const conditionOf = async (above: number) => {
    const { report } = await previewOf(asks({ condition: { figure: 'US dollar', above } }));
    const { condition, preview, counts } = (report as Any).results;
    expect(counts).toEqual({ sent: 0, suppressed: 0, refused: 0 });
    expect(preview.text).toContain('Rates stay where they are');
    return { holds: condition.holds, isSent: preview.would_be_sent, count: preview.would_go_to };
  };
  expect(await conditionOf(2)).toEqual({ holds: false, isSent: false, count: 2 });
  expect(await conditionOf(1)).toEqual({ holds: true, isSent: true, count: 2 });
  expect(at.files()).toEqual([]);
});
