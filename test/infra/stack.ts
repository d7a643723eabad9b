/** The synthesized stack of a stage. Its functions are empty files: the rules over the template need no bundles. */
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { agents } from '../../functions/agents/api.ts';
import { login } from '../../functions/agents/login.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import { errandApp } from '../../infra/app.ts';
import { type Settings, settingsOf } from '../../infra/settings.ts';
import { ErrandStack } from '../../infra/stack.ts';
import { CONSOLE_CONFIG } from '../../shared/core/console-page.ts';

export type Resource = { Type: string; Properties: Record<string, unknown>; DeletionPolicy?: string };
export type Resources = Record<string, Resource>;

const NAMES = globSync('functions/*.lambda.ts').map((entry) => basename(entry, '.lambda.ts'));

export const apis = { FilesAndTasks: filesAndTasks, Agents: agents };

/** Paths of an API that have a function of their own. */
export const apart: Record<string, { id: string; face: typeof login }> = { Agents: { id: 'Login', face: login } };

/** A folder as `npm run bundle` writes it, and one for the output. */
export function emptyBundles(folder: string): string {
  const bundles = join(folder, 'bundles');
  for (const name of NAMES) {
    mkdirSync(join(bundles, name), { recursive: true });
    writeFileSync(join(bundles, name, 'index.js'), `// ${name}`);
  }
  mkdirSync(join(bundles, 'console/assets'), { recursive: true });
  writeFileSync(join(bundles, 'console/index.html'), `<meta name="errand" content="${CONSOLE_CONFIG}">`);
  writeFileSync(join(bundles, 'console/assets/main-AAAAAAAA.js'), '// console');
  mkdirSync(join(bundles, 'docs'), { recursive: true });
  writeFileSync(join(bundles, 'docs/index.html'), '<title>Documentation</title>');
  return bundles;
}

export function templateOf(
  folder: string,
  stage: string,
  bundles = emptyBundles(folder),
  given: Record<string, string> = {},
): Template {
  const app = errandApp({ bundles, outdir: join(folder, stage), context: { stage, ...given } });
  return Template.fromStack(app.node.findChild(`errand-${stage}`) as ErrandStack);
}

export function templateWith(folder: string, change: Partial<Settings>): Template {
  const app = new App({ outdir: join(folder, 'changed') });
  const settings = { ...settingsOf('dev'), ...change };
  return Template.fromStack(new ErrandStack(app, 'changed', { settings, bundles: emptyBundles(folder) }));
}

export const resourcesOf = (template: Template, type: string): Resources => template.findResources(type) as Resources;

/** The rules leave out the CDK's own functions, which empty and fill buckets. */
export function ownFunctions(template: Template): Resources {
  const all = Object.entries(resourcesOf(template, 'AWS::Lambda::Function'));
  return Object.fromEntries(all.filter(([id]) => !/^Custom(S3AutoDeleteObjects|CDKBucketDeployment)/.test(id)));
}

export const deniesPlainHttp = (Action: string) => ({
  Action,
  Effect: 'Deny',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
