/** A configuration whose provider needs no download. */
export const EXAMPLE_FILES = {
  'main.tf':
    'resource "terraform_data" "example" {\n  input = "hello"\n}\n\noutput "greeting" {\n  value = terraform_data.example.output\n}\n',
};
