/** `errand org export` and `errand org import`: an organization in a folder, and from there in another stage. */
import packageJson from '../../package.json' with { type: 'json' };
import { withAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { exportOrganization, type TransferProgress } from '../../shared/transfer/export.ts';
import type { ExportedSetting } from '../../shared/transfer/format.ts';
import { type Imported, importOrganization, type Remarks } from '../../shared/transfer/import-organization.ts';
import { type CommandLine, type Noun, type Operator, type Options, plain, type ShownValue } from './command.ts';
import { createExportFolder, openExportFolder } from './export-folder.ts';
import { findOrganization } from './org.ts';
import { progressOf } from './progress.ts';

const inWords = ({ rows, blobs, bytes }: TransferProgress): string =>
  `${rows} rows, ${blobs} files of ${Math.round(bytes / 1_000_000)} MB so far`;

async function exportTo(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { to: folder = '' } = options;
  const organization = await findOrganization(operator.table, org);
  const { id, name } = organization;
  const act = { by: operator.by, act: 'org export', organization: id, subject: name };
  const manifest = await withAudit(operator, act, async () => {
    const target = await createExportFolder(folder);
    try {
      const { version: errand } = packageJson;
      const say = progressOf(operator);
      const progress = (reached: TransferProgress) => say(inWords(reached));
      return await target.finish(await exportOrganization(operator, target.sink, { organization, errand, progress }));
    } finally {
      await target.close();
    }
  });
  const { rows, blobs, unfinishedTasks, undeliveredEvents, lostFiles, lostBlobs } = manifest;
  const report = {
    id,
    name,
    folder,
    rows: rows.count,
    files: blobs.count,
    bytes: blobs.bytes,
    unfinishedTasks,
    undeliveredEvents,
    lostFiles,
    lostBlobs,
  };
  return {
    report,
    note: lines(
      'The folder holds all that the organization stored, unencrypted: keep it as you keep customer data.',
      lostFiles > 0 && `The bytes of ${lostFiles} files are gone, so that these files are not in it.`,
      unfinishedTasks > 0 &&
        `${unfinishedTasks} tasks have not ended: an import cancels them, or continues them with --continue.`,
    ),
  };
}

async function importFrom(operator: Operator, { args: [folder = ''], options }: CommandLine): Promise<ShownValue> {
  const source = await openExportFolder(folder);
  const { errand, organization, setAgain, lostFiles } = source.manifest;
  if (isNewer(errand, packageJson.version))
    throw new Problem(
      'invalid',
      `The export was made by Errand ${errand}, this is ${packageJson.version}: upgrade it.`,
    );
  const { id } = organization;
  const act = { by: operator.by, act: 'org import', organization: id, subject: id };
  const say = progressOf(operator);
  const imported = await withAudit(
    operator,
    act,
    () =>
      importOrganization(operator, source, {
        continues: options.continue ?? false,
        progress: (reached) => say(inWords(reached)),
      }),
    ({ organization: { name }, written }) => ({ subject: name, detail: `${written} rows` }),
  );
  const { name, models } = imported.organization;
  const { cancelled, undelivered, withoutPassword } = imported.remarks;
  const pending = pendingSettings(id, setAgain, options);
  const report = {
    id,
    name,
    written: imported.written,
    present: imported.present,
    expired: imported.expired,
    cancelledTasks: cancelled.count,
    undeliveredEvents: undelivered.count,
    usersWithoutPassword: withoutPassword.count,
    lostFiles,
    ...(options.json ? { remarks: imported.remarks, setAgain: pending } : {}),
  };
  const modelsNote = await operator.noteOnModels(models, id).catch(messageOf);
  return { report, note: lines(...remarkLines(imported, options), ...settingLines(pending), modelsNote) };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lines = (...texts: (string | false | undefined)[]): string => texts.filter(Boolean).join('\n');

function isNewer(version: string, baseline: string): boolean {
  const [parts, baselineParts] = [version, baseline].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const at = parts?.findIndex((part, index) => part !== baselineParts?.[index]) ?? -1;
  return at >= 0 && (parts?.[at] ?? 0) > (baselineParts?.[at] ?? 0);
}

/** A name in a command that an operator may copy into a shell. */
const quoted = (text: string): string =>
  /^[\w@.:/-]+$/.test(text) ? text : `'${plain(text).replaceAll("'", `'\\''`)}'`;

const command = (words: string, { stage }: Options): string =>
  `npx errand ${words}${stage === undefined ? '' : ` --stage ${quoted(stage)}`}`;

function* remarkLines({ organization: { id }, remarks }: Imported, options: Options): Iterable<string> {
  const { cancelled, undelivered, withoutPassword } = remarks;
  if (cancelled.count > 0)
    yield `${cancelled.count} tasks that had not ended are cancelled here; submit them again: ${namesIn(cancelled)}`;
  if (undelivered.count > 0)
    yield `The events of ${undelivered.count} tasks had not reached their receiver and are not sent from here, unless you do so\n` +
      `  (${command(`delivery list TASK --org ${id}`, options)}, then delivery redeliver): ${namesIn(undelivered)}`;
  if (withoutPassword.count > 0) {
    yield `${withoutPassword.count} users have no password here; for each of them:`;
    for (const name of withoutPassword.first) yield `  ${command(`user password ${quoted(name)}`, options)}`;
    if (withoutPassword.count > withoutPassword.first.length) yield `  ${command(`user list ${id}`, options)}`;
  }
}

const namesIn = ({ count, first }: Remarks['cancelled']): string =>
  first.join(', ') + (count > first.length ? ', ...' : '');

type PendingSetting = { what: string; detail: string; command: string };

/** Addresses are named and not put into commands: a secret goes only to one that the operator has entered. */
const COMMANDS: Record<ExportedSetting['what'], (id: string, name: string) => string> = {
  'API key': (id, name) => `key create ${id} --name ${quoted(name)}`,
  'webhook secret': (id) => `webhook-secret rotate ${id}`,
  'model connection': (id, name) => `model add ${quoted(name)} --org ${id} ...`,
  'search provider': (id, name) => `org search ${id} ${quoted(name)} ...`,
  'single sign-on': (id) => `sso set ${id} --issuer URL --audience ID --keys URL`,
};

const pendingSettings = (id: string, settings: readonly ExportedSetting[], options: Options): PendingSetting[] =>
  settings.map(({ what, name = '', detail = '' }) => ({
    what,
    detail: plain([name, detail].filter(Boolean).join(', ')),
    command: command(COMMANDS[what](id, name), options),
  }));

function* settingLines(pending: readonly PendingSetting[]): Iterable<string> {
  if (pending.length === 0) return;
  yield 'To be set again, as secrets are not exported:';
  for (const { what, detail, command: text } of pending) yield `  ${what}${detail ? ` (${detail})` : ''}: ${text}`;
}

export const transferVerbs: Noun = {
  export: {
    usage: 'export ORG --to FOLDER',
    about: 'writes its rows, files and results into a new folder, without passwords, keys and secrets',
    args: [1, 1],
    needs: ['to'],
    run: exportTo,
  },
  import: {
    usage: 'import FOLDER [--continue]',
    about:
      'writes an exported organization and overwrites nothing; unfinished tasks are cancelled, or with --continue go on here',
    args: [1, 1],
    options: ['continue'],
    founds: true,
    run: importFrom,
  },
};
