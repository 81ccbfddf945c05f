// SPDX-License-Identifier: Apache-2.0
// The requests of memcached (request.h).
#pragma once

#include "inputs/request_language.h"

namespace esox {

const RequestLanguage& memcached_language();

}  // namespace esox
