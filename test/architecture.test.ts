import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { violations } from '../scripts/arrows.ts';

const importing = (file: string, specifier: string) =>
  violations([{ file, text: `import { x } from '${specifier}';` }]);

it('holds in the tree as it is', () => {
  const files = globSync('{shared,engines,agents,adapters,functions,infra,client,console,bin,scripts}/**/*.{ts,tsx}');
  expect(files.length).toBeGreaterThan(10);
  expect(violations(files.map((file) => ({ file, text: readFileSync(file, 'utf8') })))).toEqual([]);
});

it.each([
  ['shared/tasks/submit.ts', '../../adapters/aws/table.ts'],
  ['shared/core/log.ts', '../../adapters/local/table.ts'],
  ['shared/core/log.ts', '@aws-sdk/client-s3'],
  ['adapters/local/sqlite-table.ts', '../aws/table.ts'],
  ['adapters/local/memory-queue.ts', '../../functions/http/route.ts'],
  ['adapters/aws/dynamo-table.ts', '../local/table.ts'],
  ['engines/outbound/fetch.ts', '../../adapters/aws/table.ts'],
  ['functions/http/route.ts', '../../adapters/aws/table.ts'],
  ['functions/http/route.ts', '@aws-sdk/client-sqs'],
  ['functions/http/route.ts', '../files.lambda.ts'],
  ['infra/stack.ts', '../adapters/aws/table.ts'],
  ['client/index.ts', '../shared/ports.ts'],
  ['bin/local.ts', '@aws-sdk/client-sqs'],
  ['newroom/a.ts', '../shared/ports.ts'],
  ['agents/records/fill-record.ts', '../processing/state.ts'],
  ['agents/records/matching/find-values.ts', '../../chat/workspace.ts'],
  ['agents/records/record-plan.ts', '../research/state.ts'],
  ['agents/chat/record-stages.ts', '../records/ask-fields.ts'],
])('forbids %s to import %s', (file, specifier) => {
  expect(importing(file, specifier)).toHaveLength(1);
});

it.each([
  ['adapters/aws/dynamo-table.ts', '@aws-sdk/client-dynamodb'],
  ['adapters/aws/dynamo-table.ts', '../../shared/ports.ts'],
  ['adapters/local/server.ts', '../../functions/http/dispatch.ts'],
  ['functions/files.lambda.ts', '../adapters/aws/context.ts'],
  ['infra/stack.ts', '../adapters/aws/dynamo-items.ts'],
  ['adapters/local/sqlite-table.ts', './database.ts'],
  ['agents/chat/record-stages.ts', '../records/fill-record.ts'],
  ['agents/records/fill-record.ts', './ask-fields.ts'],
  ['agents/records/fill-record.ts', '../runtime.ts'],
])('lets %s import %s', (file, specifier) => {
  expect(importing(file, specifier)).toEqual([]);
});

it.each([
  ['agents/chat/record-stages.ts', '../values/dates.ts'],
  ['agents/processing/read-stage.ts', '../records/matching/find-record.ts'],
  ['agents/research/findings.ts', '../records/invoices/money.ts'],
  ['agents/records/merge-findings.ts', './matching/typed-values.ts'],
  ['agents/records/field-words.ts', '../values/dates.ts'],
  ['agents/records/fill-record.ts', '../verification/evidence/quotes.ts'],
  ['agents/runtime.ts', './text-rules.ts'],
])('keeps a rule on texts of strangers out of the main thread: %s may not import %s', (file, specifier) => {
  expect(importing(file, specifier)).toEqual([expect.stringContaining('rules on texts run in threads')]);
  expect(violations([{ file, text: `import type { X } from '${specifier}';` }])).toEqual([]);
});

it('lets the program of the threads import every rule, and a rule other rules', () => {
  expect(importing('agents/text-rules.ts', './records/matching/named-rules.ts')).toEqual([]);
  expect(importing('agents/records/matching/find-record.ts', '../invoices/money.ts')).toEqual([]);
});

it('sees every form of import', () => {
  const text = [
    `import type { A } from '../../adapters/aws/a.ts';`,
    `import '../../adapters/aws/b.ts';`,
    `export { c } from '../../adapters/aws/c.ts';`,
    `const d = await import('../../adapters/aws/d.ts');`,
    `import {\n  e,\n  f,\n} from '../../adapters/aws/e.ts';`,
    `import * as g from "../../aws/g.ts";`,
    `type H = import('../../adapters/aws/h.ts').H;`,
  ].join('\n');
  expect(violations([{ file: 'shared/core/x.ts', text }])).toHaveLength(7);
});

it('names units of time instead of counting milliseconds', () => {
  // The console imports nothing of the product, so it has a copy of its own.
  const files = globSync('{shared,engines,agents,adapters,functions,infra,bin}/**/*.ts');
  const counted = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /\b(3_600_000|86_400_000)\b|(Ms\b|MS\b).*\b60_000\b/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(counted).toEqual([]);
});
