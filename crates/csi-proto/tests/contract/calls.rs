//! Client and server speak with each other, here without any transport between them.

use csi_proto::{
    csi::v1::{
        BlockMetadata, BlockMetadataType, GetMetadataAllocatedRequest,
        GetMetadataAllocatedResponse, GetMetadataDeltaRequest,
        snapshot_metadata_client::SnapshotMetadataClient,
        snapshot_metadata_server::{SnapshotMetadata, SnapshotMetadataServer},
    },
    pluginregistration::v1::{
        InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
        registration_client::RegistrationClient,
        registration_server::{Registration, RegistrationServer},
    },
};
use tonic::{Code, Request, Response, Status, codegen::BoxStream};

struct Plugin;

#[tonic::async_trait]
impl Registration for Plugin {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(PluginInfo {
            name: "disk.example.org".to_owned(),
            ..Default::default()
        }))
    }

    async fn notify_registration_status(
        &self,
        request: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        Err(Status::failed_precondition(request.into_inner().error))
    }
}

#[tokio::test]
async fn unary_calls_bring_back_answers_and_errors() {
    let mut client = RegistrationClient::new(RegistrationServer::new(Plugin));
    let info = client.get_info(InfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.name, "disk.example.org");

    let status = RegistrationStatus {
        plugin_registered: false,
        error: "refused".to_owned(),
    };
    let error = client.notify_registration_status(status).await.unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (Code::FailedPrecondition, "refused")
    );
}

#[tonic::async_trait]
impl SnapshotMetadata for Plugin {
    async fn get_metadata_allocated(
        &self,
        request: Request<GetMetadataAllocatedRequest>,
    ) -> Result<Response<BoxStream<GetMetadataAllocatedResponse>>, Status> {
        let from = request.into_inner().starting_offset;
        let part = |byte_offset| GetMetadataAllocatedResponse {
            block_metadata_type: BlockMetadataType::FixedLength.into(),
            volume_capacity_bytes: 30,
            block_metadata: vec![BlockMetadata {
                byte_offset,
                size_bytes: 10,
            }],
        };
        let parts = vec![
            Ok(part(from)),
            Ok(part(from + 10)),
            Err(Status::aborted("snapshot is gone")),
        ];
        Ok(Response::new(Box::pin(tokio_stream::iter(parts))))
    }
}

#[tokio::test]
async fn streaming_calls_bring_back_each_part_and_a_late_error() {
    let mut client = SnapshotMetadataClient::new(SnapshotMetadataServer::new(Plugin));
    let request = GetMetadataAllocatedRequest {
        starting_offset: 10,
        ..Default::default()
    };
    let mut stream = client
        .get_metadata_allocated(request)
        .await
        .unwrap()
        .into_inner();
    for expected in [10, 20] {
        let part = stream.message().await.unwrap().unwrap();
        assert_eq!(part.block_metadata[0].byte_offset, expected);
    }
    assert_eq!(stream.message().await.unwrap_err().code(), Code::Aborted);

    // A call that the plugin does not write.
    let error = client
        .get_metadata_delta(GetMetadataDeltaRequest::default())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (
            Code::Unimplemented,
            "the plugin does not implement this call"
        )
    );
}
