import { z } from 'zod';
import { credential } from '../credential.ts';
import { defineSetting } from '../setting.ts';

/** Without a user and a password: settings that are no secret are shown. */
const endpoint = z.string().regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i);

const hostAndPort = z.string().regex(/^(?:[^\s/@:[\]]+|\[[\da-f:.]+\]):\d{1,5}$/i);

const name = z.string().regex(/^[^\s\0]{1,200}$/);

const file = z.string().regex(/^\/[^\0\n]*$/);

/** Settings of the services that several machines share. A project cannot set them. */
export const CLUSTER_SETTINGS = {
  'cluster.postgresUrl': defineSetting({
    schema: z.string().regex(/^postgres(?:ql)?:\/\/\S+$/),
    env: 'KLAUS_CLUSTER_POSTGRES_URL',
    unset: 'required for `klaus worker` and `klaus serve --cluster`',
    values: 'postgres://user:password@host:port/database',
    description: 'The Postgres database of the cluster, with its user and password.',
    secret: true,
  }),
  'cluster.bucket': defineSetting({
    schema: z.string().regex(/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/),
    env: 'KLAUS_CLUSTER_BUCKET',
    unset: 'required for `klaus worker` and `klaus serve --cluster`',
    values: 'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
    description: 'The bucket of the cluster, for blobs and states of workspaces.',
  }),
  'cluster.s3Endpoint': defineSetting({
    schema: endpoint,
    env: 'KLAUS_CLUSTER_S3_ENDPOINT',
    unset: 'that of Amazon',
    values: 'an http or https address',
    description: 'Address of the S3-compatible store of the bucket.',
  }),
  'cluster.s3Region': defineSetting({
    schema: z.string().regex(/^[a-z\d-]+$/),
    env: 'KLAUS_CLUSTER_S3_REGION',
    unset: 'AWS_REGION, else us-east-1',
    values: 'lower-case letters, digits and hyphens, such as `eu-central-1`',
    description: 'Region of the bucket.',
  }),
  'cluster.s3KeyId': credential(
    'KLAUS_CLUSTER_S3_KEY_ID',
    'Id of the access key of the bucket. Without it and `cluster.s3SecretKey`: the credentials of this machine, as the AWS tools find them.',
  ),
  'cluster.s3SecretKey': credential('KLAUS_CLUSTER_S3_SECRET_KEY', 'Secret access key of the bucket.'),
  'cluster.workspaces': defineSetting({
    schema: z.enum(['shared', 'managed']),
    default: 'shared',
    env: 'KLAUS_CLUSTER_WORKSPACES',
    description:
      'Where workers find the folder of a session. `shared`: it is there already, such as on a shared file system. `managed`: workers create the folders below `cluster.workspacesFolder` from the bucket.',
  }),
  'cluster.workspacesFolder': defineSetting({
    schema: file,
    env: 'KLAUS_CLUSTER_WORKSPACES_FOLDER',
    unset: 'required for managed workspaces',
    values: 'an absolute path without symbolic links, the same on all machines',
    description: 'The folder of this machine that contains the managed workspaces. Nothing else may use it.',
  }),
  'cluster.temporalAddress': defineSetting({
    schema: hostAndPort,
    env: 'KLAUS_CLUSTER_TEMPORAL_ADDRESS',
    unset: 'required for `klaus worker` and `klaus serve --cluster`',
    values: 'host:port',
    description: 'Host and port of the gRPC interface of Temporal.',
  }),
  'cluster.temporalNamespace': defineSetting({
    schema: name,
    default: 'default',
    env: 'KLAUS_CLUSTER_TEMPORAL_NAMESPACE',
    description: 'Namespace of the cluster in Temporal. It must exist.',
  }),
  'cluster.temporalTaskQueue': defineSetting({
    schema: name,
    default: 'klaus',
    env: 'KLAUS_CLUSTER_TEMPORAL_TASK_QUEUE',
    description: 'Queue in Temporal that connects callers with workers.',
  }),
  'cluster.temporalApiKey': credential(
    'KLAUS_CLUSTER_TEMPORAL_API_KEY',
    'API key of the namespace. It is only sent over TLS.',
  ),
  'cluster.temporalTls': defineSetting({
    schema: z.boolean(),
    env: 'KLAUS_CLUSTER_TEMPORAL_TLS',
    unset: 'true with an API key or a file of certificates, else false',
    description: 'Connect to Temporal over TLS.',
  }),
  'cluster.temporalCaFile': defineSetting({
    schema: file,
    env: 'KLAUS_CLUSTER_TEMPORAL_CA_FILE',
    unset: 'the certificate authorities of the system',
    values: 'an absolute path',
    description: 'PEM file with the certificate authorities of Temporal.',
  }),
  'cluster.temporalCertFile': defineSetting({
    schema: file,
    env: 'KLAUS_CLUSTER_TEMPORAL_CERT_FILE',
    unset: 'no client certificate',
    values: 'an absolute path',
    description: 'PEM file with the client certificate for Temporal.',
  }),
  'cluster.temporalKeyFile': defineSetting({
    schema: file,
    env: 'KLAUS_CLUSTER_TEMPORAL_KEY_FILE',
    unset: 'no client certificate',
    values: 'an absolute path',
    description: 'PEM file with the key of the client certificate.',
  }),
  'cluster.projectSlots': defineSetting({
    schema: z.number().int().min(0),
    default: 0,
    env: 'KLAUS_CLUSTER_PROJECT_SLOTS',
    description:
      'Sessions of one project that run at the same time, on all workers together. 0: unlimited. `klaus admin projects` sets it for one project.',
  }),
  'cluster.projectMonthlyUsd': defineSetting({
    schema: z.number().min(0),
    default: 0,
    env: 'KLAUS_CLUSTER_PROJECT_MONTHLY_USD',
    description:
      'US dollars that all sessions of one project may cost in a calendar month (UTC). 0: unlimited. `klaus admin projects` sets it for one project.',
  }),
} as const;
