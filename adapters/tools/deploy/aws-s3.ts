import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { DeployOptions } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { toContentType } from './content-type.ts';
import type { DeployApi } from './deploy-api.ts';
import { defineDeployTarget, type DeployDifference, type DeployResult } from './deploy-target.ts';
import {
  AWS_ID,
  AWS_SECRET,
  AWS_SESSION,
  deleteObject,
  invalidate,
  listObjects,
  putObject,
  type Bucket,
} from './s3-bucket.ts';
import { countFiles, readSiteFile, type Site, type SiteFile } from './site-files.ts';

/**
 * Deploys to a bucket of Amazon S3 or of a service with its API. Objects with the same MD5 are not sent again. Pages come
 * last, so that none refers to a file that is not there yet.
 *
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API, https://docs.aws.amazon.com/cloudfront/latest/APIReference
 */
export const awsS3 = defineDeployTarget({
  name: 'deploy_aws_s3',
  description: 'Deploy a folder of static files to an S3 bucket, and invalidate a CloudFront distribution.',
  fields: {
    bucket: z.string(),
    region: z.string().optional().describe('default: AWS_REGION'),
    prefix: z.string().optional().describe('such as docs/'),
    removeOthers: z.boolean().optional().describe('delete objects below the prefix that the folder does not have'),
    distribution: z.string().optional().describe('id of a CloudFront distribution'),
  },
  example: { bucket: 'example-bucket', region: 'eu-central-1' },
  locate({ bucket: name, region, prefix = '', removeOthers = false, distribution }, options) {
    if (!isBucketName(name)) throw toolFailed(`${JSON.stringify(name)} is no name of a bucket.`);
    if (!isPrefix(prefix)) throw toolFailed(`${JSON.stringify(prefix)} is no prefix, such as docs/.`);
    if (distribution !== undefined && !/^[A-Z0-9]{8,32}$/.test(distribution))
      throw toolFailed(`${JSON.stringify(distribution)} is no id of a distribution.`);
    const bucket = toBucket(name, region, options);
    const of: Place = { bucket, prefix, removeOthers };
    const { cloudfrontUrl } = options;
    return {
      shown: `the bucket ${name}${prefix === '' ? '' : `/${prefix}`}${removeOthers ? ', deleting other objects,' : ''} at ${new URL(bucket.url).host}`,
      services: distribution === undefined ? [bucket.url] : [bucket.url, cloudfrontUrl],
      credentials: [
        { name: AWS_ID },
        { name: AWS_SECRET },
        { name: AWS_SESSION, isOptional: true },
        ...(region === undefined ? [{ name: 'AWS_REGION', isOptional: true as const }] : []),
      ],
      compare: (api, site) => compare(api, of, site),
      publish: (api, site) =>
        publish(api, { ...of, cloudfrontUrl, ...(distribution === undefined ? {} : { distribution }) }, site),
    };
  },
});

interface Place {
  bucket: Bucket;
  prefix: string;
  removeOthers: boolean;
  cloudfrontUrl?: string;
  distribution?: string;
}

/** The rules of https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|\.-|-\./.test(name) && !/^\d+\.\d+\.\d+\.\d+$/.test(name)
  );
}

function isPrefix(prefix: string): boolean {
  return (
    prefix === '' || (/^(?:[\w.~+@ -]+\/)+$/.test(prefix) && !prefix.split('/').some((part) => /^\.\.?$/.test(part)))
  );
}

/** @throws KlausError `config` without a region, `tool.failed` for an invalid one. */
function toBucket(name: string, given: string | undefined, { s3Url, awsRegion }: DeployOptions): Bucket {
  const region = given ?? awsRegion ?? (s3Url === undefined ? undefined : 'us-east-1');
  if (region === undefined) {
    throw new KlausError('config', 'No region of AWS is given.', {
      hint: 'Give `region`, or the user sets AWS_REGION.',
    });
  }
  // Services with the API of S3 have other regions, such as `auto`.
  const isRegion = s3Url === undefined ? /^[a-z]{2}(?:-[a-z]+)+-\d+$/ : /^[a-z0-9-]+$/;
  if (!isRegion.test(region)) throw toolFailed(`${JSON.stringify(region)} is no region of AWS.`);
  if (s3Url !== undefined) return { url: `${s3Url}/${name}`, region };
  // The certificate does not cover names with a dot.
  const url = name.includes('.')
    ? `https://s3.${region}.${toDomain(region)}/${name}`
    : `https://${name}.s3.${region}.${toDomain(region)}`;
  return { url, region };
}

function toDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

async function compare(api: DeployApi, { bucket, prefix, removeOthers }: Place, site: Site): Promise<DeployDifference> {
  const present = await listObjects(api, bucket, prefix);
  const keys = new Set(site.files.map(({ path }) => prefix + path));
  return {
    upload: site.files.filter(({ path, md5 }) => present.get(prefix + path) !== md5).map(({ path }) => path),
    remove: removeOthers ? [...present.keys()].filter((key) => key.startsWith(prefix) && !keys.has(key)) : [],
  };
}

async function publish(api: DeployApi, place: Place, site: Site): Promise<DeployResult> {
  const { bucket, prefix, distribution, cloudfrontUrl } = place;
  const { upload, remove } = await compare(api, place, site);
  const wanted = new Set(upload);
  let uploaded = 0;
  const put = async (file: SiteFile): Promise<void> => {
    const body = await readSiteFile(site, file);
    await putObject(api, bucket, { key: prefix + file.path, type: toContentType(file.path), md5: file.md5, body });
    uploaded += 1;
    api.report(`${uploaded} of ${countFiles(upload.length)} are uploaded and visible.`);
  };
  const [pages = [], others = []] = [true, false].map((isPage) =>
    site.files.filter(({ path }) => wanted.has(path) && /\.html?$/i.test(path) === isPage),
  );
  await api.each(others, put);
  await api.each(pages, put);
  let removed = 0;
  await api.each(remove, async (key) => {
    await deleteObject(api, bucket, key);
    removed += 1;
    api.report(`${countFiles(uploaded)} are uploaded and visible, ${removed} of ${remove.length} objects are deleted.`);
  });
  if (distribution === undefined) return { uploaded, removed };
  api.report('All files are in the bucket. The caches of CloudFront are not invalidated yet.');
  await invalidate(api, cloudfrontUrl!, distribution);
  return { uploaded, removed, notes: [`The caches of the distribution ${distribution} are being invalidated.`] };
}
