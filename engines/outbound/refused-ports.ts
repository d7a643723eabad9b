/** The ports that a public URL may not use: those of well-known internal services. */

/** A public URL may use port 443, and ports from this one on except those of well-known internal services. */
const MIN_PORT = 1024;

type PortOrRange = number | readonly [first: number, last: number];

const SERVICES: Record<string, readonly PortOrRange[]> = {
  relational: [1433, 1434, 1521, 2483, 2484, 3050, 3306, 33_060, 5432, 6432, 26_257, 50_000],
  wideAndDocument: [5984, 6984, [7000, 7001], 7199, 9042, 9142, 9160, [27_017, 27_019], 28_015, 28_017, 8529],
  graphAndColumn: [7473, 7474, 7687, 8086, 8123, 9000, 9009, 9440],
  vector: [6333, 6334, 19_530],
  cache: [6379, 6380, 16_379, 26_379, 11_211, 11_214, 11_215],
  search: [9200, 9300, 9600, 8983, 7700, 5601],
  queue: [[5671, 5672], 15_671, 15_672, 25_672, 4369, [9092, 9094], 4222, 6222, 8222, [61_613, 61_614], 61_616, 8161],
  messaging: [1414, 1883, 8883, 6650, 6651, 4150, 4151, 4160, 4161],
  coordination: [2181, 2888, 3888, 2379, 2380, 4001, [8300, 8302], [8500, 8503], 8600, [4646, 4648], [8200, 8201]],
  docker: [[2375, 2377], 4243, 7946, 4789],
  kubernetes: [6443, 8001, [10_248, 10_250], [10_255, 10_259]],
  monitoring: [[9090, 9091], 9100, 4317, 4318, 8125, 14_268, 16_686],
  lambda: [9001, 2000, 2773], // runtime, X-Ray daemon, parameters and secrets
  storage: [2049, 3260, 8020, 9870, 50_070, 50_075],
  directory: [3268, 3269],
  remoteControl: [2222, 3389, [5900, 5909], 5985, 5986, [6000, 6063], 10_000],
  proxy: [1080, 3128, 8118, 9050, 9051],
  debugging: [1099, 5005, 8009, 9229],
  conversation: [1900, 5060, 5061, 5222, 5269, 5353, [6665, 6669], 6697],
};

const isAmong = (port: number, ports: PortOrRange): boolean =>
  typeof ports === 'number' ? port === ports : ports[0] <= port && port <= ports[1];

export function isRefusedPort(port: number): boolean {
  if (port === 443) return false;
  if (port < MIN_PORT) return true;
  return Object.values(SERVICES).some((services) => services.some((ports) => isAmong(port, ports)));
}
