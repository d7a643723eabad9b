/** Lambda stops a chain function -> queue -> function after 16 calls, unless the function allows it. */
import { afterAll, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { attachedStatements } from './policies/policies-of-template.ts';
import { resolvedTemplate } from './policies/resolved-template.ts';
import { templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = resolvedTemplate(templateOf(folder.path, 'dev').toJSON().Resources);
const typed = (type: string): [string, Any][] => Object.entries(template).filter(([, { Type }]) => Type === type);

/** A function -> the functions that are called for messages that it sends. */
const calls = new Map<string, string[]>(
  typed('AWS::Lambda::Function').map(([id, { Properties }]) => {
    const queues = attachedStatements(template)
      .filter(
        ({ role, statement }) => role === Properties.Role && [statement.Action].flat().includes('sqs:SendMessage'),
      )
      .flatMap(({ statement }) => [statement.Resource ?? []].flat());
    const consumers = typed('AWS::Lambda::EventSourceMapping')
      .filter(([, mapping]) => queues.includes(mapping.Properties.EventSourceArn))
      .map(([, mapping]) => mapping.Properties.FunctionName as string);
    return [id, consumers];
  }),
);

function isInChainOfItself(id: string): boolean {
  const reached = new Set(calls.get(id));
  for (const next of reached) for (const further of calls.get(next) ?? []) reached.add(further);
  return reached.has(id);
}

/** A connection is checked once, ten seconds after it was accepted. */
const SHORT_CHAINS = ['SocketFunction'];

it('allows longer chains where the table bounds them, and nowhere else', () => {
  const inChains = [...calls.keys()].filter(isInChainOfItself);
  const isShort = (id: string) => SHORT_CHAINS.some((name) => id.startsWith(name));
  expect(inChains.filter(isShort)).toHaveLength(SHORT_CHAINS.length);
  const allowing = typed('AWS::Lambda::Function').filter(([, { Properties }]) => Properties.RecursiveLoop === 'Allow');
  expect(allowing.map(([id]) => id).sort()).toEqual(inChains.filter((id) => !isShort(id)).sort());
  expect(allowing.map(([id]) => id.replace(/Function.*/, '')).sort()).toEqual(['RunTask', 'SendWebhook']);
});
