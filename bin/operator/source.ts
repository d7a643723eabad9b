/** `errand source`: the sources of an organization's own. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import { listSources, putSource, removeSource, type SourceRow } from '../../shared/sources/stored-sources.ts';
import { type CommandLine, type CommandOutput, type Noun, type Operator, type ShownValue, timeOf } from './command.ts';
import { textIn, yamlIn } from './input-file.ts';
import { findOrganization } from './org.ts';

const sourceReport = ({ name, title, connectors, entries, changedAt }: SourceRow): CommandOutput => ({
  name,
  title,
  kinds: [...new Set(connectors.map(({ kind }) => kind))],
  addresses: connectors.reduce((sum, { address }) => sum + address.length, 0),
  entries: entries.length,
  replaces: KNOWN_SOURCES.includes(name),
  changed: timeOf(changedAt),
});

async function putCustom(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const { file = '' } = options;
  const act = { by: operator.by, act: 'source put', organization: id, subject: name, detail: file };
  const source = await withAudit(operator, act, async () => {
    const value = yamlIn(textIn(file, 'a YAML file'), file);
    return putSource(operator, id, { name, value });
  });
  return { report: sourceReport(source) };
}

async function listCustom({ table }: Operator, { options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, options.org ?? '');
  return { report: (await listSources(table, id)).map(sourceReport) };
}

async function removeCustom(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const act = { by: operator.by, act: 'source remove', organization: id, subject: name };
  const source = await withAudit(operator, act, () => removeSource(operator.table, id, name));
  return { report: { ...sourceReport(source), removed: true } };
}

export const source: Noun = {
  put: {
    usage: 'put NAME --file FILE --org ORG',
    about: 'creates a source from YAML, or replaces the one of that name, also a built-in one',
    args: [1, 1],
    needs: ['file', 'org'],
    run: putCustom,
  },
  list: {
    usage: 'list --org ORG',
    about: 'lists the custom sources of an organization',
    args: [0, 0],
    needs: ['org'],
    run: listCustom,
  },
  remove: {
    usage: 'remove NAME --org ORG',
    about: 'deletes a custom source; the built-in source of that name applies again',
    args: [1, 1],
    needs: ['org'],
    run: removeCustom,
  },
};
