import type { TypicalDuration } from '../../shared/agents/agent-task.ts';
import type { Vault } from '../../shared/core/crypto.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';
import type { StageLimited } from '../../shared/core/stage.ts';
import type { FileAddress } from '../../shared/files/file.ts';
import type { Admit } from '../../shared/lanes/admission.ts';
import type { Clock, Downloads, Post, Secrets, Table } from '../../shared/ports.ts';
import type { AgentReport } from '../../shared/tasks/agent.ts';
import type { HasPrice } from '../../shared/tasks/details.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import type { FreshTasks } from '../../shared/tasks/submit.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import type { CredentialOwners } from '../http/credentials.ts';
/** The context of the routes of tasks, in addition to what the dispatcher needs. */
import type { RouteAnswer, ShellContext } from '../http/route.ts';

/**
 * The answer to `POST /schemas/suggest`, or the problem that the route throws. The code is larger than most of this API and is
 * loaded when it is called.
 */
type SuggestSchema = (
  ports: { table: Table; clock: Clock; hints: Hints },
  address: FileAddress,
) => Promise<RouteAnswer | { problem: ProblemCode; message: string }>;

/** The answer with the text of a cited source, or the problem that the route throws; loaded when it is called, too. */
type ReadSnapshot = (
  snapshots: AgentReport['snapshots'],
  source: string,
) => Promise<RouteAnswer | { problem: ProblemCode; message: string }>;

export type TasksContext = ShellContext &
  StageLimited & {
    hints: Hints;
    fresh?: Pick<FreshTasks, 'keep'>;
    notifyTask?: NotifyTask;
    /** Throws when the organization, or the lane, has more work than it may. */
    admit: Admit;
    /** Why results cannot be sent to this address; undefined = they may. */
    faultOfEndpoint: (address: string, ownHosts: string[]) => string | undefined;
    hasPrice: HasPrice;
    /** In milliseconds, from submit to completion. */
    typicalDuration: TypicalDuration;
    /** Whether anybody set up a sender of mails. */
    sendsMail: boolean;
    /** The files of results, for which addresses are signed. */
    blobs: Downloads;
    readSnapshot: ReadSnapshot;
    suggestSchema: SuggestSchema;
    /** For the test of a webhook: what it is signed with, and the way to the receiver. */
    vault: Vault;
    post: Post;
  };

/**
 * The background-agent API: callers with an access token or an API key. Logging in is a face of its own, answered by a
 * function of its own.
 */
export type AgentsContext = TasksContext & CredentialOwners & { secrets: Secrets };
