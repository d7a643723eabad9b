/** The CDK app: one stack for the stage that the context names, with what else the context says of it. */
import { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_CREATION_STACK_TRACES } from 'aws-cdk-lib/cx-api';
import { acknowledge } from './acknowledged.ts';
import { dayOfEnd } from './day-of-end.ts';
import { ErrandStack } from './errand-stack.ts';
import { refuseOthers } from './refuse-others.ts';
import { type Settings, settingsOf } from './settings.ts';

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
  const asked = new Set<string>();
  const given = (name: string): string | undefined => {
    asked.add(name);
    return app.node.tryGetContext(name);
  };
  const domain = (of: string) => ({ name: given(`${of}-domain`), certificate: given(`${of}-certificate`) });
  const settings = settingsOf(given('stage') ?? 'dev', {
    origins: given('origins'),
    models: given('models'),
    seeing: given('seeing-models'),
    openaiAddress: given('openai-address'),
    openaiKeySecret: given('openai-key-secret'),
    sender: given('sender'),
    alarmsEmail: given('alarms-email'),
    retentionDays: given('retention-days'),
    badCredentials: given('unauthorized-calls'),
    maxFileMegabytes: given('max-file-megabytes'),
    workerMegabytes: given('worker-megabytes'),
    documentCpuSeconds: given('document-cpu-seconds'),
    ocrPageCpuSeconds: given('ocr-page-cpu-seconds'),
    expires: dayOfEnd({ given: given('expires'), ofCommit: ends, today }),
    domains: { files: domain('files'), agents: domain('agents'), sockets: domain('sockets') },
  });
  refuseOthers(Object.keys(app.node.getAllContext()), [...asked]);
  return { app, settings };
}
