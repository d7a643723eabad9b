/** The e-mail that a model writes: what it chooses and merges, and what of it is confirmed. */

import { afterEach, expect, it } from 'vitest';
import { unreadable } from '../../../engines/documents/document.ts';
import { faultsIn } from '../../engines/mail/mail-lint.ts';
import { mailModel } from './mail-model.ts';
import { gatheringOf, item, type OpenedMail, openMail } from './setup.ts';

let at: OpenedMail;
afterEach(() => at.close());

const VOTE = item({
  title: 'Dock workers at Halden Bay vote',
  text: 'The 800 dock workers of Halden Bay begin a vote on a strike on 18 November.',
  address: 'https://news.errand.test/vote',
  publishedAt: '2026-11-18T09:00:00.000Z',
});
const BEGINS = item({
  source: 'port_news',
  title: 'Vote on strike begins',
  text: 'At Halden Bay the vote on a strike began on 19 November, the union says.',
  address: 'https://ports.errand.test/begins',
  publishedAt: '2026-11-19T09:00:00.000Z',
});
const WHEAT = item({
  title: 'Wheat is cheaper',
  text: 'A tonne of wheat costs EUR 214.',
  address: 'https://news.errand.test/wheat',
  publishedAt: '2026-11-17T09:00:00.000Z',
});
// The newest of each source come first: VOTE is 1, BEGINS is 2, WHEAT is 3.
const sources = () => ({
  news_feeds: gatheringOf([VOTE, WHEAT]),
  port_news: gatheringOf([BEGINS], { source: 'port_news' }),
});
const asks = (content: object = {}, more: object = {}) => ({
  ...more,
  content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds', 'port_news'], ...content },
});

const STRIKE = {
  title: 'Halden Bay: 800 dock workers vote on a strike',
  text: 'The vote began on 19 November.',
  items: [1, 2],
};
const GOOD = {
  subject: 'Strike vote at Halden Bay',
  introduction: [{ text: 'The dock workers of Halden Bay vote on a strike.', items: [1, 2] }],
  entries: [STRIKE],
};
const statementOf = ({ title, text }: { title: string; text: string }) => `${title}\n${text}`;

it('chooses and merges by the instructions, dates and links each notice of an event, and counts what is left out', async () => {
  const { model, calls, prompts } = mailModel({ compose: GOOD });
  at = await openMail({ sources: sources(), model });
  const { report } = await at.run(asks({ instructions: 'Only ports.' }));
  expect(calls).toEqual(['compose', 'look']);
  expect(prompts[0]).toContain('"instructions":"Only ports."');
  expect(prompts[0]).toContain('{"item":2,"source":"port_news","date":"2026-11-19","title":"Vote on strike begins"');
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Strike vote at Halden Bay');
  expect(mail?.text).toContain('The dock workers of Halden Bay vote on a strike.');
  expect(mail?.text).toContain(
    [
      '* Halden Bay: 800 dock workers vote on a strike',
      '18 Nov 2026 · News feeds · news.errand.test',
      'The vote began on 19 November.',
      'https://news.errand.test/vote',
      '19 Nov 2026 · Port news · ports.errand.test',
      'https://ports.errand.test/begins',
    ].join('\n  '),
  );
  expect(mail?.text).toContain('1 new item is not shown here.');
  expect(mail?.text).not.toContain('wheat');
  expect(mail?.html).toContain('href="https://ports.errand.test/begins"');
  expect(faultsIn(mail)).toEqual([]);
  expect(report?.warnings).toBeUndefined();
  expect(report).toMatchObject({ queries: 4, results: { prompt_version: 'notification-4' } });
});

it('has at most as many entries as its kind, from all sources together', async () => {
  const entries = [1, 2, 3, 1].map((number) => ({ title: `Notice ${number}`, text: 'It is new.', items: [number] }));
  const { model } = mailModel({ compose: { ...GOOD, entries: entries.map((entry) => ({ ...entry, title: 'News' })) } });
  at = await openMail({ sources: sources(), model });
  await at.run(asks({}, { notification_type: 'reminder' }));
  expect((await at.mails())[0]?.text?.match(/^\* News$/gm)).toHaveLength(3);
});

it('has wrong parts corrected once, each with what is wrong with it', async () => {
  const wrong = { ...STRIKE, text: 'The 900 workers began to vote.' };
  const { model, calls, prompts } = mailModel({
    compose: { ...GOOD, subject: 'The port is closed', entries: [wrong] },
    denied: ['The port is closed'],
    correct: {
      parts: [
        { part: 1, title: null, text: 'A vote on a strike', items: [1] },
        { part: 2, ...STRIKE },
      ],
    },
  });
  at = await openMail({ sources: sources(), model });
  const { report } = await at.run(asks());
  expect(calls).toEqual(['compose', 'look', 'correct', 'look']);
  expect(prompts[2]).toContain('"wrong":"so it is"');
  expect(prompts[2]).toContain('"item":2');
  expect(prompts[2]).not.toContain('"item":3');
  expect(prompts[2]).toContain('"wrong":"900: stands in none of its items as it is written"');
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('A vote on a strike');
  expect(mail?.text).toContain('The vote began on 19 November.');
  expect(mail?.text).not.toContain('900');
  expect(report?.warnings).toBeUndefined();
});

it('takes out what stays unconfirmed, shows the words of the source instead, and names it', async () => {
  const introduction = [...GOOD.introduction, { text: 'Wheat costs EUR 241.', items: [3] }];
  const { model } = mailModel({
    compose: { ...GOOD, introduction },
    denied: [GOOD.subject, statementOf(STRIKE)],
    correct: { parts: [] },
  });
  at = await openMail({ sources: sources(), model });
  const { report } = await at.run(asks());
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Digest: Dock workers at Halden Bay vote');
  expect(mail?.text).toContain('* Dock workers at Halden Bay vote\n  18 Nov 2026');
  expect(mail?.text).toContain('The 800 dock workers of Halden Bay begin a vote');
  expect(mail?.text).not.toContain('Vote on strike begins');
  expect(mail?.text).not.toContain('241');
  expect(mail?.text).toContain('The dock workers of Halden Bay vote on a strike.');
  expect(report?.warnings).toEqual([
    'Taken out of the e-mail, as it is not confirmed: the subject "Strike vote at Halden Bay" (so it is); the sentence "Wheat costs EUR 241." (EUR 241: stands in none of its items as it is written); the entry "Halden Bay: 800 dock workers vote on a strike" (so it is). The words of the sources stand in place of a subject or an entry.',
  ]);
});

it('shows no item twice because an entry of it is not confirmed', async () => {
  const again = { title: 'A port is on strike', text: '', items: [2, 1] };
  const { model } = mailModel({
    compose: { ...GOOD, entries: [{ ...STRIKE, items: [2] }, again] },
    denied: [again.title],
    correct: { parts: [] },
  });
  at = await openMail({ sources: sources(), model });
  await at.run(asks());
  const text = (await at.mails())[0]?.text ?? '';
  expect(text.match(/^\* .*$/gm)).toEqual(['* Vote on strike begins', '* Dock workers at Halden Bay vote']);
});

it('never puts a date together of items that date an event differently, and knows no item that is not there', async () => {
  const entries = [
    { title: 'The vote', text: 'It began on 17 November 2026.', items: [1, 2] },
    { title: 'Nobody knows', text: 'Nothing.', items: [9] },
    { title: 'Of nothing', text: 'Nothing.', items: [] },
  ];
  const { model, prompts } = mailModel({ compose: { ...GOOD, entries }, correct: { parts: [] } });
  at = await openMail({ sources: sources(), model });
  await at.run(asks());
  const wrongs = (prompts[2]?.match(/"wrong":"[^"]*"/g) ?? []).map((wrong) => wrong.slice('"wrong":"'.length, -1));
  expect(wrongs).toContain('17 November 2026: stands in none of its items as it is written');
  expect(wrongs).toContain('there is no item 9');
  expect(wrongs).toContain('it names no item');
  expect((await at.mails())[0]?.text).not.toMatch(/17 November|Nobody|Of nothing/);
});

it('shows nothing that a model wrote if the second look agrees with everything', async () => {
  const { model, calls } = mailModel({ compose: GOOD, agreesWithAll: true });
  at = await openMail({ sources: sources(), model });
  const { report } = await at.run(asks());
  expect(calls).toEqual(['compose', 'look', 'look']);
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Digest: Dock workers at Halden Bay vote');
  expect(mail?.text).toContain('* Dock workers at Halden Bay vote');
  expect(report?.warnings?.[0]).toContain('(it could not be checked)');
});

it('asks for no correction where the figures could not be checked within the limits', async () => {
  const { model, calls } = mailModel({ compose: GOOD });
  at = await openMail({ sources: sources(), model });
  const applyRule = async () => {
    throw unreadable('tooSlow');
  };
  const { report } = await at.run(asks(), { over: { documents: { applyRule } } });
  expect(calls).toEqual(['compose']);
  expect(report?.warnings?.[0]).toContain('(it could not be checked)');
  expect((await at.mails())[0]?.subject).toBe('Digest: Dock workers at Halden Bay vote');
});

it('asks for a subject alone where there is only a message, and shows the message as that of its sender', async () => {
  const { model, calls } = mailModel({ subject: { subject: 'The meeting begins at 3 pm' } });
  at = await openMail({ model });
  const message = 'Hello team,\n\nthe meeting is moved to 3 pm.';
  await at.run({ content: { recipients: ['ann@readers.org'], message } });
  expect(calls).toEqual(['subject', 'look']);
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('The meeting begins at 3 pm');
  expect(mail?.text).toContain('=\n\nA message from Acme & Söhne:\n\n> Hello team,\n\n> the meeting is moved');
  expect(faultsIn(mail)).toEqual([]);
});

it('asks no model for the subject that the sender set', async () => {
  const { model, calls } = mailModel({});
  at = await openMail({ model });
  await at.run({ content: { recipients: ['ann@readers.org'], message: 'At ten.', subject: 'Board' } });
  expect(calls).toEqual([]);
  at.close();
  const composing = mailModel({ compose: GOOD });
  at = await openMail({ sources: sources(), model: composing.model });
  await at.run(asks({ subject: 'Ports', message: 'Dear all' }));
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Ports');
  expect(mail?.text).toContain('> Dear all\n\nThe dock workers of Halden Bay vote on a strike.');
  expect(faultsIn(mail)).toEqual([]);
});

it('says how many items the model could not be shown', async () => {
  const long = Array.from({ length: 40 }, (_, nth) => item({ title: `Story ${nth}`, text: 'word '.repeat(400) }));
  const { model } = mailModel({ compose: { subject: 'Stories', introduction: [], entries: [] } });
  at = await openMail({ sources: { news_feeds: gatheringOf(long) }, model });
  const { report } = await at.run(asks({ data_sources: ['news_feeds'] }));
  expect(report?.warnings?.join()).toMatch(/\d+ new items of 40 could not be shown to the model/);
  expect((await at.mails())[0]?.text).toContain('40 new items are not shown here.');
});

it('names no item in its subject that it does not show', async () => {
  const { model, calls } = mailModel({ compose: { subject: 'Nothing of that', introduction: [], entries: [] } });
  at = await openMail({ sources: sources(), model });
  await at.run(asks({ instructions: 'Only airports.' }));
  expect(calls).toEqual(['compose']);
  const [mail] = await at.mails();
  expect(mail?.subject).toBe('Digest');
  expect(mail?.text).toContain('3 new items are not shown here.');
  expect(faultsIn(mail)).toEqual([]);
});
