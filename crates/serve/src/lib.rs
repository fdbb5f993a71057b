//! The catalogue for programs and agents: a server of the Model Context Protocol over standard input and output.
//!
//! Three tools: `look_up` for an id, a name or a code, `search` for words, `diagnose_log` for an error text or a log. They
//! return JSON, the same that `cgsan explain --json` and the site's index have.
#![forbid(unsafe_code)]

mod results;
mod tools;

use std::io;

use cgsan_render::FoundBy;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt};

/// What a client is told before it calls anything.
const INSTRUCTIONS: &str = "Explains why a CUDA graph of a PyTorch program does not capture, replays wrong values, takes \
    memory, hangs or does not pay. Give `diagnose_log` the traceback or the log. Every entry names its cause, fixes with \
    runnable programs, and what does not help.";

/// Serves on standard input and output until the client closes it. `found_by` names the commands that find a failure mode.
///
/// # Errors
///
/// If the client does not speak the protocol, or a stream breaks.
pub fn serve(found_by: FoundBy) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let server = Server { found_by }
            .serve(rmcp::transport::io::stdio())
            .await
            .map_err(io::Error::other)?;
        server.waiting().await.map_err(io::Error::other)
    });
    // A thread of the runtime may still wait for a line of standard input.
    runtime.shutdown_background();
    served.map(|_| ())
}

struct Server {
    found_by: FoundBy,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cgsan", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::from(request.arguments.unwrap_or_default());
        let returned = match &*request.name {
            tools::LOOK_UP => results::look_up(arguments, self.found_by),
            tools::SEARCH => results::search(arguments),
            tools::DIAGNOSE => results::diagnose(arguments, self.found_by),
            other => {
                return Err(ErrorData::invalid_params(
                    format!("unknown tool `{other}`"),
                    None,
                ));
            }
        };
        let result = match returned {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error)]),
        };
        Ok(result.into())
    }
}
