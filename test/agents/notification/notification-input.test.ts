/** What a notification may say of its items, and when it is sent: the accepted conditions and the warnings at submit. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { modelFaults, optionWarnings } from '../../../shared/agents/agent-input.ts';
import { type NotificationInput, notificationInput } from '../../../shared/agents/notification-input.ts';

const INPUT = notificationInput(['market_data', 'news_feeds']);
const contentOf = (content: object) => ({ content: { recipients: ['ann@readers.org'], ...content } });
const faultsOf = (content: object): string[] =>
  v
    .safeParse(INPUT, contentOf(content))
    .issues?.map((issue) => `${v.getDotPath(issue)} ${issue.message}`)
    .toSorted() ?? [];

describe('condition', () => {
  it.each([
    'A port is closed.',
    { figure: 'Euribor', above: 3 },
    { figure: 'Euribor', below: 0 },
    { figure: 'Euribor', above: 2, below: 3, source: 'market_data' },
    null,
  ])('takes %j', (condition) => expect(faultsOf({ condition })).toEqual([]));

  it.each([
    ['x'.repeat(501), 'must have at most 500 characters'],
    [' ', 'must not be empty'],
    [7, 'must be a sentence, or an object with figure, and above or below'],
    [{ figure: 'Euribor', abve: 3 }, 'is not complete: abve is not a field of a condition; did you mean above?'],
    [{ above: 3 }, 'is not complete: figure is required'],
    [{ figure: 'Euribor', above: '3' }, 'is not complete: above must be a number'],
    [{ figure: 'Euribor' }, 'needs above, below or both'],
    [{ figure: 'Euribor', above: 3, below: 3 }, /^needs an above that is less than its below/],
    [{ figure: 'Euribor', above: 3, source: 'other' }, /source must be one of market_data, news_feeds$/],
  ])('refuses %j', (condition, reason) => {
    const [fault = '', ...others] = faultsOf({ condition });
    expect(others).toEqual([]);
    const said = fault.replace(/^content\.condition\S* /, '');
    if (typeof reason === 'string') expect(said).toBe(reason);
    else expect(said).toMatch(reason);
  });

  it('needs sources, as a message alone has nothing to be judged', () => {
    const condition = 'A port is closed.';
    expect(faultsOf({ condition, message: 'Hello.' })).toEqual([
      'content.condition needs data_sources: a message alone has nothing that the condition could be judged by',
    ]);
    expect(faultsOf({ condition, message: 'Hello.', data_sources: [] })).toHaveLength(1);
    expect(faultsOf({ condition, message: 'Hello.', data_sources: ['news_feeds'] })).toEqual([]);
  });

  it('needs a language model for a sentence, and none for a figure', () => {
    const faults = (condition: unknown, hasLanguageModel: boolean) =>
      modelFaults('notification_agent', contentOf({ condition }) as NotificationInput, hasLanguageModel);
    expect(faults('A port is closed.', false)?.['input.content.condition']).toContain('needs a language model');
    expect(faults('A port is closed.', true)).toBeUndefined();
    expect(faults({ figure: 'Euribor', above: 3 }, false)).toBeUndefined();
  });
});

it('takes instructions of 1 to 2,000 characters', () => {
  expect(faultsOf({ instructions: 'x'.repeat(2_000) })).toEqual([]);
  expect(faultsOf({ instructions: 'x'.repeat(2_001) })).toHaveLength(1);
  expect(faultsOf({ instructions: '' })).toHaveLength(1);
});

describe('warnings at submit', () => {
  const warnings = (content: object, { type, isOffline = false }: { type?: string; isOffline?: boolean } = {}) =>
    optionWarnings(
      'notification_agent',
      { notification_type: type, ...contentOf(content) } as NotificationInput,
      !isOffline,
    );

  it('say that an alert without a condition is sent as a digest, and how to state one', () => {
    const [warning, ...others] = warnings({}, { type: 'price_alert' });
    expect(others).toEqual([]);
    expect(warning).toMatch(/sent as a digest.*input\.content\.condition/);
    expect(warnings({ condition: { figure: 'Euribor', above: 3 } }, { type: 'price_alert' })).toEqual([]);
  });

  it('say that instructions had no effect without a language model, or without items and with a subject', () => {
    const instructions = 'Only ports.';
    expect(warnings({ instructions })).toEqual([]);
    expect(warnings({ instructions }, { isOffline: true })[0]).toMatch(/instructions had no effect.*language model/);
    expect(warnings({ instructions, message: 'Hello.' })).toEqual([]);
    expect(warnings({ instructions, message: 'Hello.', subject: 'Hi' })[0]).toMatch(/had no effect.*data_sources/);
  });
});
