/** The CDK app: one stack for the stage that the context names, with what else the context says of it. */
import { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_CREATION_STACK_TRACES } from 'aws-cdk-lib/cx-api';
import { acknowledge } from './acknowledged.ts';
import { ErrandStack } from './errand-stack.ts';
import { refuseOthers } from './refuse-others.ts';
import { settingsOf } from './settings.ts';

type Options = {
  /** The folder that `npm run bundle` filled. */
  bundles: string;
  outdir?: string;
  context?: Record<string, string>;
  /** The day an ephemeral stage ends if the context names none. */
  ends?: string | undefined;
};

export function errandApp({ bundles, context, ends, ...places }: Options): App {
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
    maxFileMegabytes: given('max-file-megabytes'),
    expires: given('expires') ?? ends,
    domains: { files: domain('files'), agents: domain('agents'), sockets: domain('sockets') },
  });
  refuseOthers(Object.keys(app.node.getAllContext()), [...asked]);
  acknowledge(new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles }), settings);
  return app;
}
