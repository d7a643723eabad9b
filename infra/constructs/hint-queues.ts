/** The queues of the product: a lane for each priority of tasks, and the webhooks. */
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { instancesOf, LANES, type Lane } from '../../shared/tasks/lane.ts';
import type { Settings } from '../settings.ts';
import type { BundledFunction } from './bundled-function.ts';
import { HintQueue } from './hint-queue.ts';
import type { WatchedQueue } from './watch.ts';

const LANE_NAMES = {
  high: ['HighLane', environment.highLane],
  normal: ['NormalLane', environment.normalLane],
  low: ['LowLane', environment.lowLane],
} as const;
/** Lambda takes no less. */
const LEAST_AT_ONCE = 2;

type HintQueuesOptions = Pick<Settings, 'sizes' | 'workers' | 'senders'>;

export class HintQueues extends Construct {
  private readonly lanes: Record<Lane, HintQueue>;
  private readonly webhooks: HintQueue;
  private readonly strangers: HintQueue;
  private readonly workers: Settings['workers'];
  private readonly senders: Settings['senders'];

  constructor(scope: Construct, id: string, { sizes, workers, senders }: HintQueuesOptions) {
    super(scope, id);
    this.workers = workers;
    this.senders = senders;
    const lane = (of: Lane) => {
      const [name, address] = LANE_NAMES[of];
      return new HintQueue(this, name, { consumerSeconds: sizes.runTask.timeoutSeconds, address });
    };
    this.lanes = { high: lane('high'), normal: lane('normal'), low: lane('low') };
    const consumerSeconds = sizes.sendWebhook.timeoutSeconds;
    this.webhooks = new HintQueue(this, 'Webhooks', { consumerSeconds, address: environment.webhooks });
    const socketSeconds = sizes.socket.timeoutSeconds;
    this.strangers = new HintQueue(this, 'Strangers', {
      consumerSeconds: socketSeconds,
      address: environment.strangers,
    });
  }

  /** For whoever watches them. */
  watched(): WatchedQueue[] {
    const lanes = LANES.map((lane) => [`${lane}-lane`, this.lanes[lane]] as const);
    const all = [...lanes, ['webhooks', this.webhooks] as const, ['strangers', this.strangers] as const];
    return all.map(([name, { queue, deadLetters }]) => ({ name, queue, deadLetters }));
  }

  /** All addresses are told; hints may be sent to the webhooks and these lanes. */
  grantHints(to: BundledFunction, lanes: readonly Lane[] = LANES): void {
    for (const lane of LANES) this.lanes[lane].tellAddress(to);
    this.webhooks.tellAddress(to);
    for (const queue of [...lanes.map((lane) => this.lanes[lane]), this.webhooks]) queue.grantSend(to);
  }

  get laneArns(): string[] {
    return LANES.map((lane) => this.lanes[lane].arn);
  }

  feedLanes(worker: BundledFunction): void {
    const { atOnce, batchSize } = this.workers;
    for (const lane of LANES) {
      this.lanes[lane].feed(worker, { batchSize, atOnce: instancesOf(lane, atOnce) });
    }
    worker.tell(environment.workers, `${atOnce}`);
  }

  /** Connections that have yet to say whom they are for: looked at by the function that let them in. */
  feedStrangers(socket: BundledFunction): void {
    this.strangers.tellAddress(socket);
    this.strangers.grantSend(socket);
    this.strangers.feed(socket, { batchSize: 10, atOnce: LEAST_AT_ONCE });
  }

  /** A webhook that has to be sent again is hinted in its own queue. */
  feedWebhooks(sender: BundledFunction): void {
    this.webhooks.tellAddress(sender);
    this.webhooks.grantSend(sender);
    this.webhooks.feed(sender, this.senders);
  }
}
