/** What may differ from stage to stage. The constructs take these values and never learn the stage's name. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

export type Size = { memoryMegabytes: number; timeoutSeconds: number };

export type Settings = {
  stage: string;
  /** Goes with its stack, data included. Any other stage outlives its stack, is protected and backed up. */
  isEphemeral: boolean;
  /** Of pages that may call the APIs and move bytes in a browser. */
  origins: string[];
  logRetention: RetentionDays;
  logLevel: string;
  /** For each API. */
  throttle: { requestsPerSecond: number; burst: number };
  sizes: { filesAndTasks: Size; agents: Size };
  /** How long the consumers of the queues may work on a message. */
  consumers: { runTaskSeconds: number; sendWebhookSeconds: number };
};

/** One second less than API Gateway waits, so that the function speaks last. */
const request: Size = { memoryMegabytes: 512, timeoutSeconds: 29 };

const common = {
  origins: [],
  logLevel: 'info',
  throttle: { requestsPerSecond: 500, burst: 1_000 },
  sizes: { filesAndTasks: request, agents: request },
  consumers: { runTaskSeconds: 900, sendWebhookSeconds: 60 },
};

/** Short enough for every name that holds it. */
const STAGE = /^[a-z][a-z0-9-]{0,29}$/;

/** Every stage but `production` is a branch's or a developer's own. */
export function settingsOf(stage: string): Settings {
  if (!STAGE.test(stage)) {
    const rule = 'give 1 to 30 lower-case letters, digits and hyphens, a letter first';
    throw new Error(`The stage is ${JSON.stringify(stage)}: ${rule}.`);
  }
  return stage === 'production'
    ? { ...common, stage, isEphemeral: false, logRetention: RetentionDays.THREE_MONTHS }
    : { ...common, stage, isEphemeral: true, logRetention: RetentionDays.ONE_WEEK };
}
