/** The CDK app: one stack for the stage that the context names, with what else the context says of it. */
import { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_CREATION_STACK_TRACES } from 'aws-cdk-lib/cx-api';
import { ErrandStack } from './errand-stack.ts';
import { settingsOf } from './settings.ts';

type Options = {
  /** The folder that `npm run bundle` filled. */
  bundles: string;
  outdir?: string;
  context?: Record<string, string>;
};

export function errandApp({ bundles, context, ...places }: Options): App {
  const app = new App({
    ...places,
    // They would put the paths of this machine into cdk.out.
    stackTraces: false,
    // Here and not in cdk.json, so that no way to start gives another template.
    context: { ...CURRENTLY_RECOMMENDED_FLAGS, [DISABLE_CREATION_STACK_TRACES]: true, ...context },
    analyticsReporting: false,
    treeMetadata: false,
  });
  const given = (name: string): string | undefined => app.node.tryGetContext(name);
  const settings = settingsOf(given('stage') ?? 'dev', {
    origins: given('origins'),
    models: given('models'),
    seeing: given('seeing-models'),
    openaiAddress: given('openai-address'),
    openaiKeySecret: given('openai-key-secret'),
    sender: given('sender'),
  });
  new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles });
  return app;
}
