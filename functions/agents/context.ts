/** What the routes of this API share: their context, in addition to what the dispatcher needs, and their rate limits. */
import type { TypicalDuration } from '../../shared/agents/typical-duration.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';
import type { StageLimited } from '../../shared/core/stage-limits.ts';
import type { Vault } from '../../shared/core/vault.ts';
import type { Admit } from '../../shared/lanes/admission.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Downloads, Post, Secrets } from '../../shared/ports.ts';
import type { AgentReport } from '../../shared/tasks/agent-report.ts';
import type { HasPrice } from '../../shared/tasks/budget-fields.ts';
import type { FreshTasks } from '../../shared/tasks/fresh-tasks.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import type { CredentialOwners } from '../http/credentials.ts';
import type { ApiContext, RouteAnswer } from '../http/route.ts';

/** Returns the answer with the text of a cited source, or the route's problem. The code is loaded on the first call. */
type ReadSnapshot = (
  snapshots: AgentReport['snapshots'],
  source: string,
) => Promise<RouteAnswer | { problem: ProblemCode; message: string }>;

export type TasksContext = ApiContext &
  StageLimited & {
    hints: Hints;
    fresh?: Pick<FreshTasks, 'keep'>;
    notifyTask?: NotifyTask;
    /** Throws if the organization or the lane is over its limit of work. */
    admit: Admit;
    /** The reason why results cannot be sent to this URL; `undefined`: they can. */
    faultOfEndpoint: (address: string, ownHosts: string[]) => string | undefined;
    /** The reason why documents cannot be fetched from this URL, judged by its spelling; `undefined`: they can. */
    faultOfDocument: (address: string, ownHosts: string[]) => string | undefined;
    /** The root URLs of both APIs, whose `/webhooks/discard` takes the place of a receiver. */
    serviceUrls: readonly string[];
    hasPrice: HasPrice;
    /** In milliseconds from submission to completion. */
    typicalDuration: TypicalDuration;
    /** Whether a sender of mails is configured. */
    sendsMail: boolean;
    /** Signs the download URLs of result files. */
    blobs: Downloads;
    readSnapshot: ReadSnapshot;
    /** For the webhook test: `vault` has the signing secret, and `post` sends to the receiver. */
    vault: Vault;
    post: Post;
  };

/** Callers have an access token or an API key. Logging in is a separate API with a Lambda function of its own. */
export type AgentsContext = TasksContext & CredentialOwners & { secrets: Secrets };

const READS = { minute: 25, hour: 500 };
const WRITES = { minute: 60 };

/** Each limit has its own counter. The specification defines the first three. */
export const AGENT_LIMITS = {
  /** Previews count as submits, as they cost the same work. */
  submits: { name: 'agent-submits', minute: 10, hour: 100 },
  lists: { name: 'agent-lists', minute: 50, hour: 1_000 },
  statusReads: { name: 'agent-status', ...READS },
  cancels: { name: 'agent-cancels', ...READS },
  inputReads: { name: 'agent-inputs', ...READS },
  resultReads: { name: 'agent-results', ...READS },
  snapshotReads: { name: 'agent-snapshots', ...WRITES },
  /** Clients that watch a task poll every few seconds. */
  eventReads: { name: 'agent-events', ...WRITES },
  deliveryReads: { name: 'agent-deliveries', ...READS },
  redeliveries: { name: 'agent-redeliveries', ...WRITES },
  sourceReads: { name: 'agent-sources', ...WRITES },
  usageReads: { name: 'agent-usage', ...WRITES },
  /** Only the hour limits: one minute may use all of it. */
  socketTokens: { name: 'websocket-auth', minute: 60, hour: 60 },
} satisfies Record<string, Limit>;
