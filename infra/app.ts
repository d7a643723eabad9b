/** The CDK app: one stack for the stage that the context names. */
import { App, Validations } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_CREATION_STACK_TRACES } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { acknowledge } from './nag-exceptions.ts';
import { dayOfEnd, type Settings, settingsOf } from './settings.ts';
import { ErrandStack } from './stack.ts';

// An unknown setting is most likely a misspelt one, and is rejected.

/** The CDK's own names have a colon, an at sign or a slash; this one is for its command line. */
const OF_THE_CDK = new Set(['cli-telemetry']);
const LOOKS_LIKE_OURS = /^[\w-]+$/;

function refuseOthers(names: readonly string[], known: readonly string[]): void {
  const other = names.find((name) => LOOKS_LIKE_OURS.test(name) && !OF_THE_CDK.has(name) && !known.includes(name));
  if (other === undefined) return;
  throw new RangeError(`There is no setting ${JSON.stringify(other)}: there are ${known.toSorted().join(', ')}.`);
}

/** The CDK app: one stack for the stage that the context names, with what else the context says of it. */
type Stating = {
  outdir?: string;
  context?: Record<string, string>;
  /** The day an ephemeral stage ends if the context names none. */
  ends?: string | undefined;
  /** Without it no day is past. */
  today?: string;
};
/** `bundles`: the folder that `npm run bundle` filled. */
type Options = Stating & { bundles: string };

export const errandApp = ({ bundles, ...stating }: Options): App => withStack(statedApp(stating), bundles);

export function withStack({ app, settings }: { app: App; settings: Settings }, bundles: string): App {
  acknowledge(new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles }), settings);
  return app;
}

/** The settings are looked at before anything is bundled for them. */
export function statedApp({ context, ends, today, ...places }: Stating): { app: App; settings: Settings } {
  const app = new App({
    ...places,
    // They would put the paths of this machine into cdk.out.
    stackTraces: false,
    // Here and not in cdk.json, so that no way to start gives another template.
    context: { ...CURRENTLY_RECOMMENDED_FLAGS, [DISABLE_CREATION_STACK_TRACES]: true, ...context },
    analyticsReporting: false,
    treeMetadata: false,
  });
  const read = new Set<string>();
  const contextValue = (name: string): string | undefined => {
    read.add(name);
    return app.node.tryGetContext(name);
  };
  const domain = (of: string) => ({
    name: contextValue(`${of}-domain`),
    certificate: contextValue(`${of}-certificate`),
  });
  const settings = settingsOf(contextValue('stage') ?? 'dev', {
    origins: contextValue('origins'),
    models: contextValue('models'),
    seeing: contextValue('seeing-models'),
    openaiAddress: contextValue('openai-address'),
    openaiKeySecret: contextValue('openai-key-secret'),
    sender: contextValue('sender'),
    alarmsEmail: contextValue('alarms-email'),
    retentionDays: contextValue('retention-days'),
    badCredentials: contextValue('unauthorized-calls'),
    maxFileMegabytes: contextValue('max-file-megabytes'),
    workerMegabytes: contextValue('worker-megabytes'),
    documentCpuSeconds: contextValue('document-cpu-seconds'),
    ocrPageCpuSeconds: contextValue('ocr-page-cpu-seconds'),
    expires: dayOfEnd({ chosen: contextValue('expires'), ofCommit: ends, today }),
    domains: { files: domain('files'), agents: domain('agents'), sockets: domain('sockets') },
  });
  refuseOthers(Object.keys(app.node.getAllContext()), [...read]);
  return { app, settings };
}

/** Has the rules of others looked over an app when it is synthesized: what they find stops a deployment. */
export function checked(app: App): App {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
}
