/** The whole product in one stack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { agents } from '../functions/agents/api.ts';
import { login } from '../functions/agents/login.ts';
import { filesAndTasks } from '../functions/files-and-tasks/api.ts';
import { environment } from '../shared/core/environment.ts';
import { DEFAULT_LANE } from '../shared/lanes/lane.ts';
import { type Apart, HttpFace, type Routes, SocketFace } from './constructs/apis.ts';
import { ConsoleFiles, consolePage, Edge } from './constructs/edge.ts';
import { BundledFunction, EveryMinute, grantModels, type Keeping } from './constructs/function.ts';
import { Mails } from './constructs/mail.ts';
import { Watch } from './constructs/monitoring.ts';
import { HintQueues, Schedules, Undelivered } from './constructs/queues.ts';
import { Bytes, MasterSecret, State } from './constructs/storage.ts';
import { type Domain, type Settings, type Size, tellOperator } from './settings.ts';

/** The last tag is used to find and delete expired stages. */
const tagsOf = ({ stage, isEphemeral, expires }: Settings): Record<string, string> => ({
  'errand:stage': stage,
  'errand:kept': `${!isEphemeral}`,
  ...(expires ? { 'errand:expires': expires } : {}),
});

const namespaceOf = ({ stage }: Settings): string => `Errand/${stage}`;

/**
 * The origins of pages that transfer files. Without a custom domain, the console's origin is created after the bucket,
 * so any origin is allowed.
 */
const pagesOf = ({ origins, domains: { agents: own } }: Settings): string[] =>
  own ? [...origins, `https://${own.name}`] : [];

/** The memory of the worker itself, its other tasks, and files that are being passed to the reading thread. */
const BESIDE_DOCUMENTS_MEGABYTES = 320;

type Options = { settings: Settings; bundles: string };
type Places = { state: State; bytes: Bytes; master: MasterSecret; queues: HintQueues };
type Served = { answeredBy: BundledFunction; apart?: Apart; domain?: Domain | undefined };
type Shown = { name: string; routes: Routes };

export class ErrandStack extends Stack {
  private readonly options: Options;
  private readonly keeping: Keeping;
  private readonly undelivered = new Undelivered(this, 'Undelivered');
  private readonly functions = new Map<string, BundledFunction>();
  /** The ids of the HTTP APIs, by the name of the API. */
  private readonly apis = new Map<string, string>();

  constructor(scope: Construct, id: string, options: Options) {
    const { settings } = options;
    super(scope, id, {
      description: 'Errand: files, asynchronous AI tasks and background agents',
      terminationProtection: !settings.isEphemeral,
      tags: tagsOf(settings),
    });
    this.options = options;
    this.keeping = {
      removalPolicy: settings.isEphemeral ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      logRetention: settings.logRetention,
    };

    const state = new State(this, 'State', this.keeping);
    const bytes = new Bytes(this, 'Bytes', { ...settings, origins: pagesOf(settings), keeping: this.keeping });
    const master = new MasterSecret(this, 'MasterSecret', this.keeping);
    const queues = new HintQueues(this, 'Queues', settings);

    const files = this.addAnswering('FilesAndTasksFunction', filesAndTasks, settings.sizes.filesAndTasks);
    state.grantRows(files);
    bytes.grantObjects(files);
    // All tasks of this API run in one lane.
    queues.grantHints(files, [DEFAULT_LANE]);
    files.tell(environment.maxFileBytes, `${settings.maxFileBytes}`);
    const people = this.addAnswering('AgentsFunction', agents, settings.sizes.agents);
    state.grantRows(people);
    bytes.grantArchives(people, { andReadings: true });
    queues.grantHints(people);
    const entrance = this.addAnswering('LoginFunction', login, settings.sizes.login);
    state.grantLogin(entrance);
    for (const submitting of [files, people]) this.tellLimits(submitting);
    for (const answering of [files, people, entrance]) master.grantReading(answering);

    const [hears, sends, poster] = this.addWorkers({ state, bytes, master, queues });
    const workers = [hears, sends, poster];
    const { domains, sender } = settings;
    const { rootUrl: filesUrl } = this.addFace('FilesAndTasks', filesAndTasks, {
      answeredBy: files,
      domain: domains.files,
    });
    const apart = { routes: login.routes, answeredBy: entrance };
    const http = this.addFace('Agents', agents, { answeredBy: people, apart });
    const talker = this.addFunction('SocketFunction', 'socket', settings.sizes.socket);
    state.grantConnections(talker);
    master.grantReading(talker);
    queues.feedStrangers(talker);
    const socket = this.addSocket(talker, [people, ...workers]);
    const console = this.console({ filesUrl, bytesUrls: bytes.urls, socketsUrl: socket.directUrl });
    const edge = new Edge(this, 'Edge', { http, socket, console, domain: domains.agents, ...this.keeping });
    for (const addressed of [people, entrance]) edge.grantOrigin(addressed);
    files.tell(environment.origins, [...settings.origins, edge.rootUrl].join(','));
    new Mails(this, 'Mails', { sender, rootUrl: edge.rootUrl, takes: people, sends, hears, lost: this.undelivered });
    this.watch(state, queues);
    tellOperator(this, {
      FilesAndTasksBaseUrl: `${filesUrl}/api/v1`,
      AgentsRootUrl: edge.rootUrl,
      ConsoleUrl: `${edge.rootUrl}/`,
      AgentsWsUrl: socket.directUrl ?? edge.wsUrl,
      SocketsUrl: socket.callbackUrl,
      TableName: state.tableName,
      BucketName: bytes.bucketName,
      UploadsBucketName: bytes.uploadsName,
      MasterSecretId: master.secretId,
      Models: settings.models.join(','),
    });
  }

  /** The functions that are not called from outside. */
  private addWorkers({ state, bytes, master, queues }: Places): [BundledFunction, BundledFunction, BundledFunction] {
    const { settings } = this.options;
    const reconciler = this.addFunction('ReconcileFunction', 'reconcile', settings.sizes.reconcile);
    state.grantDue(reconciler);
    bytes.grantRemoval(reconciler);
    queues.grantHints(reconciler);
    new Schedules(this, 'Schedules', { lanes: queues.laneArns }).grantScheduling(reconciler);
    new EveryMinute(this, 'EveryMinute', reconciler);
    this.undelivered.keepCalls(reconciler);

    const worker = this.addFunction('RunTaskFunction', 'run-task', settings.sizes.runTask);
    state.grantTasks(worker);
    state.grantWaitingDeliveries(worker);
    state.grantCounting(worker);
    bytes.grantResults(worker);
    grantModels(worker, settings);
    // An empty value counts as not set.
    worker.tell(environment.searchUrl, settings.searchUrl ?? '');
    queues.grantHints(worker);
    queues.feedLanes(worker);
    // The worker signs webhooks, and links in mails.
    master.grantReading(worker);
    const { memoryMegabytes } = settings.sizes.runTask;
    worker.tell(environment.documentMegabytes, `${memoryMegabytes - BESIDE_DOCUMENTS_MEGABYTES}`);
    worker.tell(environment.documentCpuSeconds, `${settings.cpuSeconds.document}`);
    worker.tell(environment.ocrPageCpuSeconds, `${settings.cpuSeconds.ocrPage}`);

    const sender = this.addFunction('SendWebhookFunction', 'send-webhook', settings.sizes.sendWebhook);
    state.grantTasks(sender);
    state.grantWaitingDeliveries(sender);
    bytes.grantArchives(sender);
    master.grantReading(sender);
    queues.feedWebhooks(sender);
    return [reconciler, worker, sender];
  }

  private addFunction(id: string, name: string, size: Size): BundledFunction {
    const { settings, bundles } = this.options;
    const added = new BundledFunction(this, id, { bundles, name, size, keeping: this.keeping });
    added.tell(environment.logLevel, settings.logLevel);
    added.tell(environment.metrics, namespaceOf(settings));
    this.functions.set(name, added);
    return added;
  }

  /** The function of an API, with the origins of the stage's pages. */
  private addAnswering(id: string, { name }: Shown, size: Size): BundledFunction {
    const added = this.addFunction(id, name, size);
    added.tell(environment.origins, this.options.settings.origins.join(','));
    return added;
  }

  private tellLimits(to: BundledFunction): void {
    const { retentionDays, badCredentials, modelTable } = this.options.settings;
    to.tell(environment.retentionDays, `${retentionDays}`);
    to.tell(environment.badCredentials, `${badCredentials}`);
    // The table has the prices, which budgets in dollars need.
    to.tell(environment.modelTable, modelTable);
  }

  private addFace(id: string, { name, routes }: Shown, served: Served): HttpFace {
    const { throttle } = this.options.settings;
    const face = new HttpFace(this, id, { routes, ...served, throttle, keeping: this.keeping });
    this.apis.set(name, face.apiId);
    return face;
  }

  /** The page depends on the URLs that it contains; the files are those of the bundle. */
  private console(places: Parameters<typeof consolePage>[1]) {
    const folder = join(this.options.bundles, 'console');
    const page = consolePage(readFileSync(join(folder, 'index.html'), 'utf8'), places);
    const docs = join(this.options.bundles, 'docs');
    return { page, files: new ConsoleFiles(this, 'Console', { folder, docs, keeping: this.keeping }) };
  }

  /** The `tellers` may only send messages to connections. */
  private addSocket(answeredBy: BundledFunction, tellers: BundledFunction[]): SocketFace {
    const { throttle, domains } = this.options.settings;
    const { keeping } = this;
    const socket = new SocketFace(this, 'Socket', { answeredBy, domain: domains.sockets, throttle, keeping });
    socket.grantConnections(answeredBy, { post: true, look: true, end: true });
    for (const teller of tellers) socket.grantConnections(teller, { post: true });
    return socket;
  }

  private watch({ tableName }: State, queues: HintQueues): void {
    const { functions, apis, undelivered } = this;
    const { settings } = this.options;
    const of = { functions, apis, tableName, queues: [...queues.watched(), undelivered.watched], lost: undelivered };
    new Watch(this, 'Watch', { ...of, namespace: namespaceOf(settings), email: settings.alarmsEmail });
  }
}
