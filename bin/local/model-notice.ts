/** What `npm start` says of language models before the first task: which is used, what it costs, and where files are sent. */

import type { LocalContext } from '../../adapters/local/context.ts';
import { type ModelFacts, modelFacts } from '../../engines/models/model-facts.ts';
import type { OwnProfiles } from '../../engines/models/profile.ts';
import type { ConnectionOf, EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import { connectionIn, OFFLINE_MODELS, writesText } from '../../shared/accounts/models.ts';
import { modelConnections } from '../../shared/accounts/stored-connections.ts';
import { orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { FoundModel } from './find-model.ts';

type NoticeInput = {
  local: Pick<LocalContext, 'table' | 'vault' | 'clock' | 'models'>;
  organizations: readonly WithModels[];
  modelConnections: EnvironmentConnections;
  detected: FoundModel;
};

export async function noticeOf({ local, organizations, modelConnections: environment, detected }: NoticeInput) {
  const finding = { connectionOf: modelConnections({ ...local, environment }), ownProfiles: local.models.table };
  const byModel = new Map<string, ModelFacts>();
  for (const { id, models } of organizations) {
    for (const facts of await factsOfModels({ id, models: models.slice(0, 1) }, finding))
      byModel.set(facts.model, facts);
  }
  const [ofFound] = detected.id === undefined ? [] : await factsOfModels({ id: '', models: [detected.id] }, finding);
  return { facts: [...byModel.values()], detected: { ...detected, ...definedFields({ facts: ofFound }) } };
}

type WithModels = { id: string; name: string; models: readonly string[] };

/** What is known of those models of an organization that write and have a connection. */
export async function factsOfModels(
  { id, models }: Pick<WithModels, 'id' | 'models'>,
  { connectionOf, ownProfiles }: { connectionOf: ConnectionOf; ownProfiles: OwnProfiles },
): Promise<ModelFacts[]> {
  const facts: ModelFacts[] = [];
  for (const model of models.filter(writesText)) {
    const connection = await connectionOf(connectionIn(model), id).catch(orUnreadable);
    if (connection) facts.push(modelFacts(model, connection, ownProfiles));
  }
  return facts;
}

/** A bold label, and the lines beside it. */
export type Labelled = [label: string, ...lines: string[]];

const placeOf = ({ sentTo }: ModelFacts): string =>
  sentTo === null ? 'files that a task reads stay on this machine' : `files that a task reads are sent to ${sentTo}`;

type Notice = {
  organizations: readonly WithModels[];
  /** Of the default models that write. */
  facts: readonly ModelFacts[];
  detected: FoundModel & { facts?: ModelFacts };
  docs: string;
};

const quoted = ({ name }: WithModels): string => JSON.stringify(name);

export function modelNotice({ organizations, facts, detected, docs }: Notice): Labelled[] {
  const withoutModel = organizations.filter(
    ({ models: [defaultModel] }) => defaultModel !== undefined && !writesText(defaultModel),
  );
  const modelLines = facts.map((entry): Labelled => {
    const users = organizations.filter(({ models }) => models[0] === entry.model);
    const whose = users.length === organizations.length ? '' : ` (${users.map(({ name }) => name).join(', ')})`;
    return ['Model', `${entry.model}${whose}; ${entry.price}`, placeOf(entry)];
  });
  const [organization] = withoutModel;
  if (!organization) return modelLines;
  const isEach = withoutModel.length === organizations.length;
  const names = isEach ? '' : ` (${withoutModel.map(({ name }) => name).join(', ')})`;
  const setCommand = (model: string) => `npx errand org models ${quoted(organization)} ${model} ${OFFLINE_MODELS[0]}`;
  const how = detected.facts
    ? [
        `use ${detected.facts.model}: ${detected.facts.price};`,
        placeOf(detected.facts),
        setCommand(detected.facts.model),
      ]
    : [
        'connect one: start Ollama, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY,',
        'or ERRAND_OPENAI_ADDRESS=..., start again, and then',
        setCommand('NAME/MODEL'),
      ];
  const hint = detected.hint === undefined ? [] : [detected.hint];
  const guide = `${docs}/guides/connect-a-model.html`;
  return [
    ...modelLines,
    ['No model', `No language model is configured${names}: tasks show passages only.`, ...hint, ...how, guide],
  ];
}
