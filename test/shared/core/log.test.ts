import { expect, it } from 'vitest';
import { type LogLevel, logger, logWith } from '../../../shared/core/log.ts';
import { setClock } from '../../ports/clock.ts';

function recorder(least: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: least });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') };
}

it('writes one JSON object a line with time, level, message and fields', () => {
  const { log, lines, last } = recorder();
  log.info('task\nclaimed', { attempt: 2, nested: { ok: true } });
  expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
  expect(last()).toEqual({
    time: '2026-06-01T12:00:00.000Z',
    level: 'info',
    message: 'task\nclaimed',
    attempt: 2,
    nested: { ok: true },
  });
});

it('omits the time where the log collector adds it', () => {
  const lines: string[] = [];
  logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: 'info', isStamped: true }).info('a');
  expect(lines).toEqual(['{"level":"info","message":"a"}\n']);
});

it('names the component that logs', () => {
  const { log, last } = recorder();
  logWith(log, { face: 'agents' }).warn('b', { n: 1 });
  expect(last()).toMatchObject({ level: 'warn', message: 'b', face: 'agents', n: 1 });
});

it('omits messages below the minimum level', () => {
  const { log, lines } = recorder('warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(lines).toHaveLength(2);
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

it.each([
  ['an API key', 'errand_k1_abcDEF123'],
  ['a webhook secret', 'whsec_c2VjcmV0c2VjcmV0/+=='],
  ['a bearer header', 'Bearer abc.def-123'],
  ['a basic header', 'Basic dXNlcjpwYXNz'],
  ['a token', JWT],
  ['a signed address', 'https://b.s3.amazonaws.com/k?X-Amz-Signature=0123abcd&X-Amz-Credential=AKIA123'],
  ['credentials in an address', 'https://user:pa55word@host.org/'],
])('hides %s in messages, fields, errors and causes', (_what, secret) => {
  const { log, lines } = recorder();
  log.error(`got ${secret} here`, {
    text: secret,
    list: [secret],
    error: new Error(secret, { cause: new Error(secret) }),
  });
  for (const part of ['abcDEF123', 'c2VjcmV0', 'abc.def', 'dXNl', 'c2lnbm', '0123abcd', 'AKIA', 'pa55word']) {
    expect(lines.join('')).not.toContain(part);
  }
  expect(lines.join('')).toContain('got ');
});

it.each([
  'password',
  'apiKey',
  'api_key',
  'Authorization',
  'x-service-signature',
  'webhookSecret',
  'access_token',
  'Cookie',
])('hides a field called %s whatever its value', (name) => {
  const { log, lines } = recorder();
  log.info('a', { [name]: 'plain', deep: { [name]: ['plain'] } });
  expect(lines[0]).not.toContain('plain');
});

it('shows token counts, which are not secret', () => {
  const { log, last } = recorder();
  log.info('used', { tokensIn: 3 });
  expect(last().tokensIn).toBe(3);
});

it('stays bounded with huge, deep, cyclic and odd values', () => {
  const { log, lines, last } = recorder();
  const cyclic: Record<string, unknown> = { big: 10n, bytes: new Uint8Array(5), none: undefined, call: () => 1 };
  cyclic.self = cyclic;
  log.info('x'.repeat(1e6), { cyclic, long: 'y'.repeat(1e6), many: Array.from({ length: 1e5 }, (_, at) => at) });
  expect(lines[0]?.length).toBeLessThan(20_000);
  expect(last().cyclic.big).toBe('10');
  expect(last().cyclic.bytes).toBe('[5 bytes]');
});

it('shows the name, the message, the stack and the cause of an error', () => {
  const { log, last } = recorder();
  log.error('failed', { error: new TypeError('no', { cause: 'why' }) });
  expect(last().error).toMatchObject({ name: 'TypeError', message: 'no', cause: 'why' });
  expect(last().error.stack).toContain('log.test.ts');
});
