import { expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';

it('takes the origins of a stage from the context, and has none of its own', () => {
  expect(settingsOf('dev').origins).toEqual([]);
  expect(settingsOf('dev', { origins: '' }).origins).toEqual([]);
  const both = 'https://console.host.org,http://localhost:5173';
  expect(settingsOf('production', { origins: both }).origins).toEqual(both.split(','));
});

it.each(['*', 'console.host.org', 'https://host.org/', 'https://host.org/x', 'https://a.org, https://b.org'])(
  'refuses %s, which no browser sends as an origin',
  (origins) => expect(() => settingsOf('dev', { origins })).toThrow(/is no origin/),
);

it('hands on which models see: those listed, none, or those known by their names', () => {
  expect(settingsOf('dev').seeing).toEqual([]);
  expect(settingsOf('dev', { seeing: 'openai/ours,bedrock/x' }).seeing).toEqual(['openai/ours', 'bedrock/x']);
  expect(settingsOf('dev', { seeing: 'none' }).seeing).toEqual(['none']);
  expect(() => settingsOf('dev', { seeing: 'ours' })).toThrow(/is no model/);
});
