/** The CDK app: one stack for the stage that the context names, open to pages of the `origins` it names. */
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
  const settings = settingsOf(app.node.tryGetContext('stage') ?? 'dev', app.node.tryGetContext('origins'));
  new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles });
  return app;
}
