/** The condition of a notification: what it is judged by, and that nobody gets an e-mail when it does not hold. */

import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { notificationAgent } from '../../../agents/notification/notification-agent.ts';
import { notificationResults } from '../../../shared/agents/results/notification.ts';
import { faultsIn } from '../../engines/mail/mail-lint.ts';
import { mailModel } from './mail-model.ts';
import { gatheringOf, item, type OpenedMail, openMail, rates } from './setup.ts';

let at: OpenedMail;
afterEach(() => at.close());

const asks = (condition: unknown, content: object = {}, more: object = {}) => ({
  ...more,
  content: { recipients: ['ann@readers.org'], data_sources: ['market_data'], condition, ...content },
});

describe('a figure with a threshold', () => {
  // The newest values are of 19 November: 1.125 dollars, 0.8175 pounds.
  const sources = () => ({ market_data: gatheringOf(rates(), { source: 'market_data' }) });

  it('sends the e-mail with the value as evidence, and asks no model', async () => {
    at = await openMail({ sources: sources() });
    const { report } = await at.run(asks({ figure: '  us DÓLLAR', above: 1.12 }, { data_sources: ['market_data'] }));
    const [mail] = await at.mails();
    expect(mail?.text).toContain(
      [
        'Why you get this e-mail\n-----------------------',
        'The latest value, 1.125 per EUR of 19 Nov 2026, is above 1.12.',
        '> US dollar: 1.125 per EUR\n  19 Nov 2026 · Market data',
      ].join('\n\n'),
    );
    expect(faultsIn(mail)).toEqual([]);
    expect(report?.results).toMatchObject({
      counts: { sent: 1 },
      condition: {
        figure: '  us DÓLLAR',
        above: 1.12,
        holds: true,
        why: 'The latest value, 1.125 per EUR of 19 Nov 2026, is above 1.12.',
        evidence: [
          {
            source: 'market_data',
            title: 'Reference rates',
            published_at: '2026-11-19T14:00:00.000Z',
            quote: 'US dollar: 1.125 per EUR',
            value: 1.125,
            unit: 'per EUR',
          },
        ],
      },
    });
  });

  it('may be named by the model that writes the e-mail', async () => {
    const introduction = [{ text: 'The US dollar is above 1.12.', items: [1] }];
    const { model } = mailModel({ compose: { subject: 'Dollar above 1.12', introduction, entries: [] } });
    at = await openMail({ sources: sources(), model });
    const { report } = await at.run(asks({ figure: 'US dollar', above: 1.12 }));
    expect((await at.mails())[0]?.subject).toBe('Dollar above 1.12');
    expect(report?.warnings).toBeUndefined();
  });

  it.each([
    [{ figure: 'US dollar', above: 1.125 }, 'The latest value, 1.125 per EUR of 19 Nov 2026, is not above 1.125.'],
    [{ figure: 'Pound sterling', below: 0.8 }, 'The latest value, 0.8175 per EUR of 19 Nov 2026, is not below 0.8.'],
    [
      { figure: 'US dollar', above: 1, below: 1.1 },
      'The latest value, 1.125 per EUR of 19 Nov 2026, is not above 1 and below 1.1.',
    ],
  ])('sends nothing where it does not hold: %j', async (condition, why) => {
    at = await openMail({ sources: sources() });
    const { report } = await at.run(asks(condition, { include_charts: true }));
    expect(at.files()).toEqual([]);
    expect(report).toMatchObject({
      preview: { subject: null, sent: 0, outcome: 'not sent: the condition does not hold' },
      results: {
        subject: null,
        counts: { sent: 0, suppressed: 0, refused: 0 },
        recipients: [{ address: 'ann@readers.org', status: 'not_sent', at: null, message_id: null, reason: null }],
        condition: { holds: false, why, evidence: [] },
      },
      stages: ['gathering', 'composing', 'sending', 'reporting'],
    });
    expect(report?.warnings).toBeUndefined();
    expect(v.safeParse(notificationResults, { ...report?.results, files: [] }).issues).toBeUndefined();
  });

  it('names the figures that there are where none has the label, and looks in the named source alone', async () => {
    at = await openMail({ sources: { ...sources(), news_feeds: gatheringOf([item()]) } });
    const missing = await at.run(asks({ figure: 'Dolar', above: 1 }));
    expect(missing.report?.warnings).toEqual([
      'input.content.condition.figure: no source of the e-mail has a figure "Dolar"; they have US dollar (market_data), Pound sterling (market_data), Japanese yen (market_data).',
    ]);
    const elsewhere = await at.run(
      asks({ figure: 'US dollar', above: 1, source: 'news_feeds' }, { data_sources: ['market_data', 'news_feeds'] }),
    );
    expect(elsewhere.report?.warnings?.[0]).toContain('they have no figures');
    expect(at.files()).toEqual([]);
  });

  it('holds in a recurring task for a value that is new since the last run alone', async () => {
    at = await openMail({ sources: sources() });
    const condition = { figure: 'US dollar', above: 1 };
    const schedule = { schedule: { frequency: 'daily', time: '08:00:00' } };
    const run = (day: number) =>
      at.run(asks(condition, {}, schedule), { run: { number: 1, slotAt: Date.UTC(2026, 10, day, 8) } });
    expect((await run(20)).report?.results).toMatchObject({ condition: { holds: true } });
    expect((await run(21)).report?.results).toMatchObject({
      condition: { holds: false, why: 'The latest value, 1.125 per EUR of 19 Nov 2026, is not new.' },
    });
    expect(at.files()).toHaveLength(1);
  });
});

describe('a sentence', () => {
  const text = 'A port is closed.';
  const news = () => ({
    market_data: gatheringOf(
      [
        item({
          source: 'market_data',
          title: 'Halden Bay',
          text: 'The port of Halden Bay was closed on Thursday night.',
        }),
      ],
      { source: 'market_data' },
    ),
  });
  const compose = { subject: 'A port', introduction: [{ text: 'A port was closed.', items: [1] }], entries: [] };
  const holds = (quote: string) => ({ holds: true, evidence: [{ item: 1, quote }], why: 'A port was closed.' });

  it('sends the e-mail with the words of the item that it was cut from', async () => {
    const { model, calls, prompts } = mailModel({ compose, condition: [holds('port of HALDEN Bay was closed')] });
    at = await openMail({ sources: news(), model });
    const { report } = await at.run(asks(text));
    expect(calls).toEqual(['condition', 'look', 'compose', 'look']);
    expect(prompts[1]).toContain('"means":"whether this holds: A port is closed."');
    expect(prompts[2]).toContain('"condition":"A port is closed.","evidence":["port of Halden Bay was closed"]');
    const [mail] = await at.mails();
    expect(mail?.text).toContain('> port of Halden Bay was closed\n  20 Nov 2026 · Market data');
    expect(faultsIn(mail)).toEqual([]);
    expect(report?.results).toMatchObject({
      condition: {
        text,
        holds: true,
        why: 'A port was closed.',
        evidence: [{ quote: 'port of Halden Bay was closed' }],
      },
    });
    expect(report?.queries).toBe(5);
  });

  it.each([
    [{ condition: [{ holds: false, evidence: [], why: 'No port is closed.' }] }, 'No port is closed.'],
    [{ condition: [holds('was closed')], isConditionDenied: true }, 'The second look does not confirm it: so it is'],
  ])('sends nothing where the model or the second look denies it: %j', async (answers, why) => {
    const { model, calls } = mailModel({ compose, ...answers });
    at = await openMail({ sources: news(), model });
    const { report } = await at.run(asks(text));
    expect(calls).not.toContain('compose');
    expect(at.files()).toEqual([]);
    expect(report?.results).toMatchObject({ condition: { text, holds: false, why, evidence: [] } });
  });

  it('asks no model where nothing is new', async () => {
    const { model, calls } = mailModel({});
    at = await openMail({ model });
    const { report } = await at.run(asks(text));
    expect(calls).toEqual([]);
    expect(report?.results).toMatchObject({
      condition: { holds: false, why: 'There is nothing new in the sources.' },
    });
  });

  it('asks once more for words that stand in the item', async () => {
    const { model, calls, prompts } = mailModel({ compose, condition: [holds('it is shut'), holds('was closed')] });
    at = await openMail({ sources: news(), model });
    await at.run(asks(text));
    expect(calls.slice(0, 3)).toEqual(['condition', 'condition', 'look']);
    expect(prompts[1]).toContain('None of these quotes stands in its item');
    expect(at.files()).toHaveLength(1);
  });

  it.each([
    { condition: [holds('it is shut')] },
    { condition: [{ nothing: true }] },
    { condition: [holds('was closed')], agreesWithAll: true },
  ])('fails rather than sends where no answer is usable: %j', async (answers) => {
    at = await openMail({ sources: news(), model: mailModel({ compose, ...answers }).model });
    await expect(at.run(asks(text))).rejects.toMatchObject({ code: 'PROCESSING_FAILED', message: /condition/ });
    expect(at.files()).toEqual([]);
  });

  it('fails where the language model was taken away meanwhile', async () => {
    at = await openMail({ sources: news() });
    await expect(at.run(asks(text))).rejects.toMatchObject({ message: /needs a language model/ });
  });
});

it('begins anew what another release left in flight, as its checkpoints know no condition', async () => {
  at = await openMail();
  expect(notificationAgent(at.ports).checkpointVersion).toBe(2);
});
