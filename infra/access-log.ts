/** The line of a gateway's log for each call. CloudWatch itself keeps when; no query and no header: they may hold credentials. */
export const ACCESS_LINE = {
  id: '$context.requestId',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  ms: '$context.responseLatency',
  functionFault: '$context.integrationErrorMessage',
} as const;

/** As it stands there after a usual call. */
export const USUAL_ACCESS_LINE: Record<keyof typeof ACCESS_LINE, string> = {
  id: 'JKJaXmPLvHcESHA=',
  ip: '203.0.113.117',
  route: 'GET /api/v1/tasks/{taskId}',
  status: '200',
  ms: '12',
  functionFault: '-',
};
