import type { CreateTemplate } from './template.ts';

const MAIN = `terraform {
  required_version = ">= 1.3"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

provider "aws" {
  region = var.region
}

# Only CloudFront reads the bucket.
resource "aws_s3_bucket" "site" {
  bucket = var.bucket
}

resource "aws_s3_bucket_public_access_block" "site" {
  bucket                  = aws_s3_bucket.site.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_versioning" "site" {
  bucket = aws_s3_bucket.site.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_cloudfront_origin_access_control" "site" {
  name                              = var.bucket
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}

data "aws_cloudfront_cache_policy" "optimized" {
  name = "Managed-CachingOptimized"
}

resource "aws_cloudfront_distribution" "site" {
  enabled             = true
  is_ipv6_enabled     = true
  default_root_object = "index.html"
  price_class         = "PriceClass_100"

  origin {
    domain_name              = aws_s3_bucket.site.bucket_regional_domain_name
    origin_id                = "site"
    origin_access_control_id = aws_cloudfront_origin_access_control.site.id
  }

  default_cache_behavior {
    target_origin_id       = "site"
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    cache_policy_id        = data.aws_cloudfront_cache_policy.optimized.id
    compress               = true
    viewer_protocol_policy = "redirect-to-https"
  }

  # Paths of the page are answered by the page.
  custom_error_response {
    error_code         = 403
    response_code      = 200
    response_page_path = "/index.html"
  }

  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }

  viewer_certificate {
    cloudfront_default_certificate = true
  }
}

data "aws_iam_policy_document" "site" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["\${aws_s3_bucket.site.arn}/*"]

    principals {
      type        = "Service"
      identifiers = ["cloudfront.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "AWS:SourceArn"
      values   = [aws_cloudfront_distribution.site.arn]
    }
  }
}

resource "aws_s3_bucket_policy" "site" {
  bucket = aws_s3_bucket.site.id
  policy = data.aws_iam_policy_document.site.json
}
`;

/** A private bucket behind CloudFront. */
export const awsStatic: CreateTemplate = ({ name }) => ({
  main: MAIN,
  variables: [
    { name: 'region', description: 'Region of the bucket.', value: 'eu-central-1' },
    {
      name: 'bucket',
      description: 'Name of the bucket, unique among all accounts.',
      value: `${name}-site`,
      isRequired: true,
    },
  ],
  outputs: [
    { name: 'bucket', description: 'Bucket for deploys.', value: 'aws_s3_bucket.site.bucket' },
    {
      name: 'distribution',
      description: 'Id of the distribution for deploys.',
      value: 'aws_cloudfront_distribution.site.id',
    },
    {
      name: 'url',
      description: 'Address of the site.',
      value: '"https://${aws_cloudfront_distribution.site.domain_name}"',
    },
  ],
  next: 'Then deploy with deploy_aws_s3, with the outputs bucket and distribution.',
});
