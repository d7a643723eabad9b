/** The stack's outputs: what people, and the command line, read of a deployed stage. */
import { CfnOutput, type Stack } from 'aws-cdk-lib';

const MEANS = {
  FilesAndTasksBaseUrl: 'Where the Files & Tasks API answers.',
  AgentsRootUrl: 'Where the agent API and the logins answer.',
  ConsoleUrl: "Where an organization's people open the console.",
  AgentsWsUrl: 'Where the WebSocket answers, at /ws/tasks.',
  SocketsUrl: 'Where the stage itself sends news to connections.',
  TableName: 'The table that holds the state.',
  BucketName: 'The bucket of what the product itself writes, such as results.',
  UploadsBucketName: 'The bucket of files, where each upload is a version of its own.',
  MasterSecretId: 'The secret from which keys and signatures are derived.',
  Models: 'The models of a new organization, the default first.',
  Sender: 'Who mails come from.',
  MailSet: 'The configuration set by which bounces and complaints are heard of.',
};

export function tellOperator(stack: Stack, values: { [name in keyof typeof MEANS]?: string }): void {
  for (const [name, value] of Object.entries(values))
    new CfnOutput(stack, name, { value, description: MEANS[name as keyof typeof MEANS] });
}
