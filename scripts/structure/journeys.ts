/** How many files a reader opens to follow a request from its entry to its end, adapters included. */
import type { Module } from './module.ts';

/** Where each journey enters a part of the product; parts reached through a port are entered by their adapter. */
const JOURNEYS: Record<string, readonly string[]> = {
  'POST /files with a URL': [
    'functions/lambda-calls.ts#lambdaHandler',
    'functions/http/dispatch.ts#dispatcher',
    'functions/files-and-tasks/files.ts#addFile',
    'shared/accounts/api-keys.ts#keyAuthenticator',
    'engines/outbound/clients.ts#fileFetcher',
    'engines/outbound/request.ts#outbound',
    'adapters/aws/dynamo-table.ts#dynamoTable',
    'adapters/aws/s3-blobs.ts#s3Blobs',
  ],
  'a task from POST to webhook': [
    'functions/files-and-tasks/tasks.ts#addTask',
    'shared/tasks/worker.ts#runTask',
    'shared/webhooks/send.ts#sendWebhook',
    'shared/reconcile/reconcile.ts#tickTask',
  ],
  'a WebSocket update': ['functions/websocket/session.ts#answerSocket', 'shared/realtime/notifier.ts#taskNotifier'],
  'the research agent': ['agents/research/research-agent.ts#researchAgent'],
};

export function journeyFiles(modules: Map<string, Module>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(JOURNEYS).map(([name, entries]) => {
      const missing = entries.find((entry) => !modules.get(fileOf(entry))?.declarations.has(entry.split('#')[1] ?? ''));
      if (missing) throw new Error(`Journey ${name}: ${missing} does not exist. Name its entries again.`);
      return [name, filesReached(modules, entries)];
    }),
  );
}

/** Follows the values that each reached declaration names, not all that its file holds. */
function filesReached(modules: Map<string, Module>, entries: readonly string[]): string[] {
  const reached = new Set<string>(entries);
  for (const next of reached) for (const named of valuesNamedBy(modules, next)) reached.add(named);
  return [...new Set([...reached].map(fileOf))].sort();
}

const fileOf = (value: string): string => value.split('#')[0] ?? '';

function valuesNamedBy(modules: Map<string, Module>, value: string): string[] {
  const [file = '', name = ''] = value.split('#');
  const module = modules.get(file);
  if (!module) return [];
  return [...(module.declarations.get(name) ?? [])].flatMap((identifier) => {
    const binding = module.bindings.get(identifier);
    if (binding) return [`${binding.target}#${binding.name}`];
    return module.declarations.has(identifier) ? [`${file}#${identifier}`] : [];
  });
}
