/** The whole product in one stack. */
import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { agents, login } from '../functions/agents/face.ts';
import { filesAndTasks } from '../functions/files-and-tasks/face.ts';
import { environment } from '../shared/core/environment.ts';
import { laneOf, USUAL_PRIORITY } from '../shared/tasks/lane.ts';
import { BundledFunction, type Keeping } from './constructs/bundled-function.ts';
import { Bytes } from './constructs/bytes.ts';
import { Edge } from './constructs/edge.ts';
import { EveryMinute } from './constructs/every-minute.ts';
import { HintQueues } from './constructs/hint-queues.ts';
import { type Apart, HttpFace, type Routes } from './constructs/http-face.ts';
import { Mails } from './constructs/mails.ts';
import { MasterSecret } from './constructs/master-secret.ts';
import { grantModels } from './constructs/models.ts';
import { Schedules } from './constructs/schedules.ts';
import { SocketFace } from './constructs/socket-face.ts';
import { State } from './constructs/state.ts';
import type { Settings, Size } from './settings.ts';

type Options = { settings: Settings; bundles: string };
type Places = { state: State; bytes: Bytes; master: MasterSecret; queues: HintQueues };
type Shown = { name: string; routes: Routes };

export class ErrandStack extends Stack {
  private readonly options: Options;
  private readonly keeping: Keeping;

  constructor(scope: Construct, id: string, options: Options) {
    const { settings } = options;
    super(scope, id, {
      description: 'Errand: files, asynchronous AI tasks and background agents',
      terminationProtection: !settings.isEphemeral,
    });
    this.options = options;
    this.keeping = {
      removalPolicy: settings.isEphemeral ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      logRetention: settings.logRetention,
    };

    const state = new State(this, 'State', this.keeping);
    const bytes = new Bytes(this, 'Bytes', { origins: settings.origins, keeping: this.keeping });
    const master = new MasterSecret(this, 'MasterSecret', this.keeping);
    const queues = new HintQueues(this, 'Queues', settings);

    const files = this.addAnswering('FilesAndTasksFunction', filesAndTasks, settings.sizes.filesAndTasks);
    state.grantRows(files);
    bytes.grantObjects(files);
    // All of this face's tasks run in one lane.
    queues.grantHints(files, [laneOf(USUAL_PRIORITY)]);
    const people = this.addAnswering('AgentsFunction', agents, settings.sizes.agents);
    state.grantRows(people);
    bytes.grantArchives(people);
    queues.grantHints(people);
    const entrance = this.addAnswering('LoginFunction', login, settings.sizes.login);
    state.grantLogin(entrance);
    for (const answering of [files, people, entrance]) master.grantReading(answering);

    const [hears, sends, poster] = this.addWorkers({ state, bytes, master, queues });
    const workers = [hears, sends, poster];
    const { rootUrl: filesUrl } = this.addFace('FilesAndTasks', filesAndTasks, files);
    const apart = { routes: login.routes, answeredBy: entrance };
    const { rootUrl: httpUrl } = this.addFace('Agents', agents, people, apart);
    const talker = this.addFunction('SocketFunction', 'socket', settings.sizes.socket);
    state.grantConnections(talker);
    master.grantReading(talker);
    queues.feedStrangers(talker);
    const socket = this.addSocket(talker, [people, ...workers]);
    const edge = new Edge(this, 'Edge', { httpUrl, socket, ...this.keeping });
    edge.grantOrigin(entrance);
    new Mails(this, 'Mails', { sender: settings.sender, rootUrl: edge.rootUrl, takes: people, sends, hears });
    this.tellOperator({
      FilesAndTasksBaseUrl: `${filesUrl}/api/v1`,
      AgentsRootUrl: edge.rootUrl,
      AgentsWsUrl: edge.wsUrl,
      SocketsUrl: socket.callbackUrl,
      TableName: state.tableName,
      BucketName: bytes.bucketName,
      MasterSecretId: master.secretId,
      Models: settings.models.join(','),
    });
  }

  /** What works without being called from outside. */
  private addWorkers({ state, bytes, master, queues }: Places): [BundledFunction, BundledFunction, BundledFunction] {
    const { settings } = this.options;
    const reconciler = this.addFunction('ReconcileFunction', 'reconcile', settings.sizes.reconcile);
    state.grantDue(reconciler);
    bytes.grantRemoval(reconciler);
    queues.grantHints(reconciler);
    new Schedules(this, 'Schedules', { lanes: queues.laneArns }).grantScheduling(reconciler);
    new EveryMinute(this, 'EveryMinute', reconciler);

    const worker = this.addFunction('RunTaskFunction', 'run-task', settings.sizes.runTask);
    state.grantTasks(worker);
    state.grantCounting(worker);
    bytes.grantResults(worker);
    grantModels(worker, settings);
    queues.grantHints(worker);
    queues.feedLanes(worker);
    // Links in mails are signed.
    master.grantReading(worker);

    const sender = this.addFunction('SendWebhookFunction', 'send-webhook', settings.sizes.sendWebhook);
    state.grantTasks(sender);
    bytes.grantArchives(sender);
    master.grantReading(sender);
    queues.feedWebhooks(sender);
    return [reconciler, worker, sender];
  }

  private addFunction(id: string, name: string, size: Size): BundledFunction {
    const { settings, bundles } = this.options;
    const added = new BundledFunction(this, id, { bundles, name, size, keeping: this.keeping });
    added.tell(environment.logLevel, settings.logLevel);
    return added;
  }

  /** The function behind a face: it answers pages of the stage's origins. */
  private addAnswering(id: string, { name }: Shown, size: Size): BundledFunction {
    const added = this.addFunction(id, name, size);
    added.tell(environment.origins, this.options.settings.origins.join(','));
    return added;
  }

  private addFace(id: string, { routes }: Shown, answeredBy: BundledFunction, apart?: Apart): HttpFace {
    const { throttle } = this.options.settings;
    const { keeping } = this;
    return new HttpFace(this, id, { routes, answeredBy, ...(apart ? { apart } : {}), throttle, keeping });
  }

  /** Those who tell news only send them. */
  private addSocket(answeredBy: BundledFunction, tellers: BundledFunction[]): SocketFace {
    const { throttle } = this.options.settings;
    const socket = new SocketFace(this, 'Socket', { answeredBy, throttle, keeping: this.keeping });
    socket.grantConnections(answeredBy, { post: true, look: true, end: true });
    for (const teller of tellers) socket.grantConnections(teller, { post: true });
    return socket;
  }

  private tellOperator(outputs: Record<string, string>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
