// SPDX-License-Identifier: Apache-2.0
// node check.js MANIFEST: each document against the schema of its kind; see check-kubernetes.
const fs = require('fs');
const yaml = require('yaml');
const kinds = {
  'v1/ConfigMap': require('kubernetes-models/v1/ConfigMap').ConfigMap,
  'batch/v1/Job': require('kubernetes-models/batch/v1/Job').Job,
};
const documents = yaml.parseAllDocuments(fs.readFileSync(process.argv[2], 'utf8'));
if (documents.length !== 3) throw new Error(`${documents.length} documents, not 3`);
for (const document of documents) {
  if (document.errors.length) throw document.errors[0];
  const object = document.toJS();
  const kind = kinds[`${object.apiVersion}/${object.kind}`];
  if (!kind) throw new Error(`${object.apiVersion} ${object.kind} was not expected`);
  new kind(object).validate();
}
