import { expect, it } from 'vitest';
import { type State, textOf } from '../../../bin/operator/command.ts';
import { type CommandEnvironment, commandLine, NOUNS } from '../../../bin/operator/command-line.ts';

/** Invalid arguments are refused before the state is opened. */
async function say(words: string[], given: Partial<CommandEnvironment> = {}) {
  const said = { out: '', err: '' };
  const outside: CommandEnvironment = {
    open: () => Promise.reject(new Error('The state was opened.')),
    examineAccount: () => Promise.reject(new Error('The account was examined.')),
    passwords: { hash: () => Promise.reject(new Error('hashed')), verify: () => Promise.reject(new Error('verified')) },
    readStdin: () => Promise.reject(new Error('read')),
    untilStopped: () => Promise.reject(new Error('waited')),
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    ...given,
  };
  return { code: await commandLine(words, outside), ...said };
}

it.each([
  [[], 'No command given.'],
  [['ogr'], 'Unknown command "ogr". Did you mean org?'],
  [['constructor'], 'Unknown command "constructor".'],
  [['__proto__', 'create'], 'Unknown command "__proto__".'],
  [['org'], 'Missing subcommand of org: create, list, show, limits, erase, models, search, snapshots, export, import.'],
  [['org', 'crate', 'x'], 'Unknown subcommand "crate" of org. Did you mean create?'],
  [['org', 'toString'], 'Unknown subcommand "toString" of org.'],
  [['org', ''], 'Unknown subcommand "" of org.'],
  [['org', 'create'], 'Missing argument: NAME.'],
  [['org', 'create', 'a', 'b'], 'Unexpected argument "b".'],
  [['org', 'list', '--minute', '5'], 'org list has no option --minute'],
  [['org', 'list', '--nosuch'], 'Unknown option --nosuch.'],
  [['key', 'create', 'Acme', '--expire', '90'], 'Unknown option --expire. Did you mean --expires?'],
  [['org', 'limits', 'Acme', 'reads', '--minute'], "'--minute <value>' argument missing"],
  [
    ['sso', 'set', 'Acme', '--max-age', '--admit'],
    '--max-age needs a value. Write one that starts with a dash as --max-age=VALUE.',
  ],
  [['key', 'create', 'Acme', '--expires'], "'--expires <value>' argument missing"],
  [['user', 'create', 'bob'], 'Missing option: --org.'],
  [['user', 'create', 'bob', '--org', 'Acme'], 'Missing option: --role.'],
  [['user', 'role', 'bob'], 'Missing argument: ROLE.'],
  [['doctor', 'now'], 'Unexpected argument "now".'],
  [['audit', 'a', 'b'], 'Unexpected argument "b".'],
  [['key', 'list', 'a', '--org', 'b'], 'Unexpected argument "a".'],
  [['key', 'revoke', 'a', '--json=yes'], "'--json' does not take an argument"],
  [['org', 'a\nb'], 'Unknown subcommand "a\\nb" of org.'],
])('answers %j with the error, the usage and exit code 2', async (words, fault) => {
  const { code, out, err } = await say(words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n')[0]).toContain(fault);
  expect(err).toContain('\n\nUsage: npx errand ');
});

it.each([
  [['announce'], 'announce [--stage'],
  [['audit', 'a', 'b'], 'audit [--stage'],
  [['org'], 'org <subcommand> [--stage'],
  [['nosuch'], '<command> <subcommand> [--stage'],
])('shows the usage line of %j, with a verb only where there is one', async (words, head) => {
  const { err } = await say(words);
  expect(err).toContain(`\n\nUsage: npx errand ${head} NAME] [--json]\n`);
});

it.each([
  [['org', 'limits', 'Acme', '--minute', '5'], 'needs the name of the LIMIT'],
  [['org', 'limits', 'Acme', '--clear'], 'needs the name of the LIMIT'],
  [['org', 'limits', 'Acme', 'reads', '--clear', '--hour', '5'], 'clears or sets, not both'],
])('answers the conflicting arguments %j in the same way', async (words, fault) => {
  const state = new Proxy({} as State, { get: (_, name) => (name === 'then' ? undefined : () => undefined) });
  const { code, out, err } = await say(words, { open: async () => state });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n')[0]).toContain(fault);
});

it('examines the account before there is a stage, without opening a product', async () => {
  const report = [{ check: 'bootstrap', state: 'wrong', detail: 'none' }];
  const examineAccount = async () => ({ report, failed: true as const });
  expect(await say(['doctor', '--before', '--json'], { examineAccount })).toEqual({
    code: 1,
    out: JSON.stringify(report),
    err: '',
  });
  await expect(say(['doctor', '--before'])).resolves.toMatchObject({ err: expect.stringContaining('was examined') });
});

it('shows the help for all nouns, and for one, on request', async () => {
  const all = await say(['--help']);
  expect(all).toMatchObject({ code: 0, err: '' });
  for (const noun of NOUNS.keys()) expect(all.out).toContain(`\n  ${noun}`);
  for (const words of [
    ['key', '--help'],
    ['--help', 'key'],
    ['key', 'create', '--help'],
  ]) {
    const help = await say(words);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('key revoke KEY');
    expect(help.out).not.toContain('org create');
  }
});

it('shows the usage of the noun that was probably meant', async () => {
  const { err } = await say(['key', 'creat']);
  expect(err).toContain('key create ORG');
  expect(err).not.toContain('org create');
});

it('does not hide an error below a long help text', async () => {
  const meant = await say(['key', 'create']);
  expect(meant.err).toContain('key create ORG');
  expect(meant.err).not.toContain('key revoke');
  for (const words of [[], ['ogr'], ['org', 'list', '--nosuch'], ['key', 'create'], ['user', 'role', 'bob']]) {
    expect((await say(words)).err.split('\n').length).toBeLessThanOrEqual(17);
  }
});

it('removes control characters, and aligns wide characters', () => {
  const rows = [
    { name: 'a\u001b[31m\nb\u202e', count: 1 },
    { name: '株式', count: null },
    { name: 'plain', count: [] },
  ];
  expect(textOf({ report: rows })).toBe(
    [
      `  ${'name'.padEnd(25)}  count`,
      '  a\\u{1b}[31m\\u{a}b\\u{202e}  1',
      `  ${'株式'.padEnd(23)}  -`,
      `  ${'plain'.padEnd(25)}  -`,
    ].join('\n'),
  );
  expect(textOf({ report: [] })).toBe('  none');
  expect(textOf({ report: { limits: { files: { minute: 5, hour: 10 } }, models: ['a', 'b'] } })).toBe(
    '  limits  files (minute 5, hour 10)\n  models  a, b',
  );
});

it('prints an internal error in full, and only on standard error', async () => {
  const { code, out, err } = await say(['org', 'list']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('The state was opened.');
});
