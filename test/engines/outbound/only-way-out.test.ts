import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const FORBIDDEN = [
  `fetch('https://a.b');`,
  `new WebSocket('wss://a.b');`,
  `new EventSource('https://a.b');`,
  `import { request } from 'node:http';`,
  `import { get } from 'node:http';`,
  `import { Agent } from 'node:http';`,
  `import * as http from 'node:http';`,
  `import http from 'node:http';`,
  `import { createServer, get as g } from 'node:http';`,
  `export { request } from 'node:http';`,
  `import { request } from 'node:https';`,
  `import { connect } from 'node:http2';`,
  `import { connect } from 'node:net';`,
  `import { createConnection } from 'node:net';`,
  `import { connect } from 'node:tls';`,
  `import { createSocket } from 'node:dgram';`,
  `import { lookup } from 'node:dns';`,
  `import { lookup } from 'node:dns/promises';`,
  `import { request } from 'undici';`,
  `await import('node:https');`,
  `require('node:http');`,
];

const WELCOME = [
  `import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';`,
  `import type { AddressInfo, Socket } from 'node:net';`,
];

/** The lines of each file that the linter reports as outgoing requests, under our own rules in a folder of its own. */
function complaints(files: Record<string, readonly string[]>): Record<string, number[]> {
  const house = mkdtempSync(join(tmpdir(), 'errand-linter-'));
  const rules = { ...JSON.parse(readFileSync('biome.json', 'utf8')), $schema: undefined, vcs: undefined };
  writeFileSync(join(house, 'biome.json'), JSON.stringify(rules));
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), lines.join('\n'));
  }
  const args = ['lint', '--colors=off', '--max-diagnostics=1000', '.'];
  const { stdout, stderr } = spawnSync(resolve('node_modules/.bin/biome'), args, { cwd: house, encoding: 'utf8' });
  rmSync(house, { recursive: true });
  const found = [...`${stdout}\n${stderr}`.matchAll(/(\S+):(\d+):\d+ lint\/style\/noRestricted(?:Imports|Globals)/g)];
  const linesOf = (file: string) => found.filter(([, at]) => at?.endsWith(file)).map(([, , line]) => Number(line));
  return Object.fromEntries(
    Object.keys(files).map((file) => [file, [...new Set(linesOf(file))].sort((a, b) => a - b)]),
  );
}

it('is the only one that the linter knows', () => {
  const every = FORBIDDEN.map((_, at) => at + 1);
  const said = complaints({
    'shared/tasks/x.ts': FORBIDDEN,
    'functions/x.lambda.ts': FORBIDDEN,
    'engines/models/x.ts': FORBIDDEN,
    'bin/x.ts': FORBIDDEN,
    'adapters/local/x.ts': WELCOME,
    'engines/outbound/x.ts': FORBIDDEN,
  });
  expect(said).toEqual({
    'shared/tasks/x.ts': every,
    'functions/x.lambda.ts': every,
    'engines/models/x.ts': every,
    'bin/x.ts': every,
    'adapters/local/x.ts': [],
    'engines/outbound/x.ts': [],
  });
});

/** What the linter cannot see. */
const HIDDEN_WAYS = [
  /\b(?:globalThis|global)\b\s*(?:\.|\[\s*['"`])\s*(?:fetch|WebSocket|EventSource)/,
  /getBuiltinModule|createRequire|process\.binding/,
  /import\s+\{[^}]*(?<!type\s+)\bSocket\b[^}]*\}\s*from\s*'node:net'/,
];

/** What is loaded otherwise than by an import, by exactly these texts: programs of ours by path, parts of `node:http` without undici, and compression. */
const PERMITTED: Record<string, readonly string[]> = {
  'engines/documents/worker.ts': [
    'import { createRequire, enableCompileCache }',
    'createRequire(rulesFile)(rulesFile)',
  ],
  'shared/core/packed-text.ts': ["process.getBuiltinModule('node:zlib')"],
  'adapters/local/server.ts': ["const { createServer } = process.getBuiltinModule('node:http');"],
  'engines/outbound/request.ts': ["const { request: open } = process.getBuiltinModule('node:http');"],
  'engines/outbound/connection-pool.ts': ["const { Agent: HttpAgent } = process.getBuiltinModule('node:http');"],
};

const withoutPermitted = (file: string, text: string): string =>
  (PERMITTED[file] ?? []).reduce((left, known) => left.replace(known, ''), text);

const hidden = (text: string): boolean => HIDDEN_WAYS.some((way) => way.test(text));

it('has no hidden way out in the product', () => {
  const files = globSync('{shared,agents,engines,adapters,functions,infra,bin}/**/*.ts');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => hidden(withoutPermitted(file, readFileSync(file, 'utf8'))))).toEqual([]);
});

it.each([
  `globalThis.fetch('https://a.b')`,
  `globalThis['fetch']('https://a.b')`,
  `process.getBuiltinModule('node:https')`,
  `import { Socket } from 'node:net';`,
  `import { type AddressInfo, Socket } from 'node:net';`,
])('would see %s', (text) => {
  expect(hidden(text)).toBe(true);
});
